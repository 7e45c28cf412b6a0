// Measures JSON.parse and Ajv. Commands come on standard input, one a line, and each
// is answered by one line of JSON:
//
//   load <directory> <set>   reads <set>.json and <set>.bin, compiles   -> {}
//   verdicts <set>           judges every call once                     -> {"verdicts": "1101…"}
//   measure <set> <ms>       judges whole passes for at least that long -> {"ns": 1234.5}
//   versions                                                            -> {"node": …, "ajv": …}
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import Ajv from 'ajv';
import Ajv2019 from 'ajv/dist/2019.js';
import Ajv2020 from 'ajv/dist/2020.js';

const sets = new Map();

function compile(schema) {
  const draft = schema.$schema ?? '';
  const Class = draft.includes('2020-12') ? Ajv2020 : draft.includes('2019-09') ? Ajv2019 : Ajv;
  // Not strict: its strictness is about how schemas are written.
  return new Class({ allErrors: true, strict: false }).compile(schema);
}

// A function of its own for every set: V8 then makes each as fast as in a program
// that judges nothing else.
function passOver(validate, calls, text) {
  const parse = text ? 'JSON.parse(JSON.parse(call.toString()))' : 'JSON.parse(call.toString())';
  return new Function('validate', 'calls', `
    return function pass(visit) {
      for (const call of calls) {
        let fits = false;
        try { fits = validate(${parse}); } catch {}
        if (visit !== undefined) visit(fits);
      }
    };`)(validate, calls);
}

function load(directory, name) {
  const { schema, text, lengths } = JSON.parse(readFileSync(`${directory}/${name}.json`));
  const bytes = readFileSync(`${directory}/${name}.bin`);
  let at = 0;
  const calls = lengths.map((n) => bytes.subarray(at, (at += n)));
  sets.set(name, { pass: passOver(compile(schema), calls, text), size: calls.length });
  return {};
}

function verdicts(name) {
  let out = '';
  sets.get(name).pass((fits) => { out += fits ? '1' : '0'; });
  return { verdicts: out };
}

function measure(name, milliseconds) {
  const { pass, size } = sets.get(name);
  let spent = 0, passes = 0, batch = 1;
  while (spent < milliseconds) {
    const start = performance.now();
    for (let i = 0; i < batch; i++) pass();
    const took = performance.now() - start;
    spent += took;
    passes += batch;
    if (took < milliseconds / 10) batch *= 2;
  }
  return { ns: (spent * 1e6) / passes / size };
}

function versions() {
  const require = createRequire(import.meta.url);
  return { node: process.version, ajv: require('ajv/package.json').version };
}

const commands = { load, verdicts, measure: (name, ms) => measure(name, Number(ms)), versions };

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...rest] = line.split('\t');
  process.stdout.write(JSON.stringify(commands[command](...rest)) + '\n');
}
