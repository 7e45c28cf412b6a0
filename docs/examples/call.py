import json, os, ssl, urllib.request

def review(message):
    """Ask Callgate about an OpenAI assistant message, as its JSON text. Anything but a 200 is a block."""
    body = ('{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview",'
            '"request":{"message":{"format":"OpenAIChat","body":' + message + '}}}')
    request = urllib.request.Request(
        os.environ["CALLGATE_URL"] + "/apis/review.callgate.dev/v1alpha1/toolcallreviews",
        data=body.encode(),
        headers={"Content-Type": "application/json",
                 "Authorization": "Bearer " + open(os.environ["CALLGATE_TOKEN"]).read().strip()})
    tls = ssl.create_default_context(cafile=os.environ["CALLGATE_CA"])
    with urllib.request.urlopen(request, timeout=2, context=tls) as answer:
        return json.load(answer)["response"]

message = """{"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function",
  "function": {"name": "get_weather", "arguments": "{\\"days\\": true, \\"tz\\": \\"UTC\\"}"}}]}"""
for result in review(message)["results"]:
    print(result["id"], "allowed" if result["allowed"] else result["code"], result["errors"])
