// Writes fixtures/*.json: what the official SDKs put on the wire for an offer, and the
// messages in which a model calls a tool, as the SDKs' own types and serialisers have
// them. Nothing is sent: fetch is taken over, and MCP runs in memory.
//
//   npm ci --ignore-scripts && npm run fixtures

import { writeFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { z } from 'zod';

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};

// save writes one fixture: expect has the names of an offer, or of the calls.
function save(name, format, kind, expect, body) {
  writeFileSync(new URL(`fixtures/${name}.json`, import.meta.url), JSON.stringify({ format, kind, expect, body }, null, 2) + '\n');
}

// answering gives a fetch that keeps the request's body and answers with JSON.
function answering(answer) {
  const taken = {};
  taken.fetch = async (input, init) => {
    taken.body = JSON.parse(init?.body ?? (await new Response(input.body).text()));
    return new Response(JSON.stringify(answer), { status: 200, headers: { 'content-type': 'application/json' } });
  };
  return taken;
}

async function openAI() {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };
  let taken = answering({
    id: 'c', object: 'chat.completion', created: 1, model: 'm',
    choices: [{ index: 0, finish_reason: 'tool_calls', logprobs: null, message: { role: 'assistant', content: null, refusal: null, tool_calls: [call] } }],
  });
  let client = new OpenAI({ apiKey: 'none', baseURL: 'https://provider.invalid/v1', fetch: taken.fetch });
  const answer = await client.chat.completions.create({
    model: 'm', messages: [{ role: 'user', content: 'Weather?' }],
    tools: [
      { type: 'function', function: { name: 'get_weather', parameters: weather, strict: false } },
      zodFunction({ name: 'scale', parameters: z.object({ replicas: z.number().int().nullable() }) }),
      { type: 'custom', custom: { name: 'run_query' } },
    ],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  });
  save('openai-chat-offer', 'OpenAIChat', 'offer', ['get_weather', 'run_query', 'scale'], taken.body);
  save('openai-chat-call', 'OpenAIChat', 'call', ['get_weather'], answer);

  taken = answering({
    id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null, incomplete_details: null, instructions: null, metadata: {},
    parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1,
    output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' }],
  });
  client = new OpenAI({ apiKey: 'none', baseURL: 'https://provider.invalid/v1', fetch: taken.fetch });
  const { output } = await client.responses.create({
    model: 'm', input: 'Weather?',
    tools: [
      { type: 'function', name: 'get_weather', parameters: weather, strict: false },
      { type: 'namespace', name: 'cluster', description: 'd', tools: [{ type: 'function', name: 'delete_pod', parameters: { type: 'object', properties: {} } }] },
      { type: 'mcp', server_label: 'wiki', server_url: 'https://mcp.invalid/sse', require_approval: 'never', allowed_tools: ['search'] },
      { type: 'web_search' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
  });
  save('openai-responses-offer', 'OpenAIResponses', 'offer', ['cluster/delete_pod', 'code_interpreter', 'get_weather', 'web_search', 'wiki/search'], taken.body);
  save('openai-responses-call', 'OpenAIResponses', 'call', ['get_weather'], { output });
}

async function anthropic() {
  const taken = answering({
    id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }],
  });
  const client = new Anthropic({ apiKey: 'none', baseURL: 'https://provider.invalid', fetch: taken.fetch });
  const answer = await client.beta.messages.create({
    model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Weather?' }],
    tools: [
      { name: 'get_weather', input_schema: weather },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'mcp_toolset', mcp_server_name: 'gh', default_config: { enabled: false }, configs: { search_code: { enabled: true } } },
    ],
    mcp_servers: [{ type: 'url', name: 'gh', url: 'https://mcp.invalid', authorization_token: 's3cret' }],
    tool_choice: { type: 'tool', name: 'get_weather' },
  });
  save('anthropic-offer', 'Anthropic', 'offer', ['get_weather', 'gh/search_code', 'str_replace_based_edit_tool', 'web_search'], taken.body);
  save('anthropic-call', 'Anthropic', 'call', ['get_weather'], answer);
}

async function gemini() {
  const taken = answering({
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ functionCall: { id: 'f1', name: 'get_weather', args: { city: 'Oslo' } } }] } }],
  });
  globalThis.fetch = taken.fetch;
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: 'https://provider.invalid' } });
  const answer = await client.models.generateContent({
    model: 'm', contents: 'Weather?',
    config: {
      tools: [
        {
          functionDeclarations: [
            { name: 'get_weather', parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER, nullable: true } }, required: ['city'] } },
            { name: 'scale', parametersJsonSchema: { type: 'object', properties: { replicas: { type: 'integer' } }, additionalProperties: false } },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_weather'] } },
    },
  });
  save('gemini-offer', 'Gemini', 'offer', ['get_weather', 'googleSearch', 'scale'], taken.body);
  save('gemini-call', 'Gemini', 'call', ['get_weather'], { candidates: answer.candidates });
}

async function mcp() {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('get_weather', { inputSchema: { city: z.string(), days: z.number().int().optional() } }, async () => ({ content: [] }));
  server.registerTool('ping', {}, async () => ({ content: [] }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const messages = [];
  for (const end of [near, far]) {
    const send = end.send.bind(end);
    end.send = (message, options) => { messages.push(JSON.parse(JSON.stringify(message))); return send(message, options); };
  }
  await server.connect(far);
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(near);
  await client.listTools();
  await client.callTool({ name: 'get_weather', arguments: { city: 'Oslo' } });
  save('mcp-offer', 'MCP', 'offer', ['get_weather', 'ping'], messages.find((m) => m.result?.tools));
  save('mcp-call', 'MCP', 'call', ['get_weather'], messages.find((m) => m.method === 'tools/call'));
  await client.close();
}

for (const sdk of [openAI, anthropic, gemini, mcp]) await sdk();
process.exit(0);
