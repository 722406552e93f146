// The official OpenAI and Anthropic libraries against a real gateway and the scripted upstream:
// each must get its answer where one can be had, and otherwise stop after one request with the
// reset time. Usage: node --test sdk_test.mjs with TIDEGATE=path of the program.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Program } from './program.mjs';

const program = new Program();

const script = `
rules:
  - {key: codex-spent-*, replies: [{error: {preset: usage-limit, resets-in: 2h}}]}
  - {key: claude-spent-*, replies: [{error: {preset: claude-unified, resets-in: 2h}}]}
  - {key: compat-spent-*, replies: [{error: {preset: insufficient-quota, resets-in: 2h}}]}
  - {key: "*", replies: [{ok: {text: "hello from upstream", chunks: 3}}]}
`;

const group = (provider, base, model, keys) => `
  ${provider}:
    - name: healthy
      base-url: ${base}
      models: [{name: ${model}, alias: ${model}}]
      keys: [{api-key: ${keys}-spent-1}, {api-key: ${keys}-1}]
    - name: spent
      base-url: ${base}
      models: [{name: ${model}, alias: ${model}-spent}]
      keys: [{api-key: ${keys}-spent-2}, {api-key: ${keys}-spent-3}]`;

const config = (upstream, mode) => `
config-version: 8
server: {host: 127.0.0.1, port: 0}
access: {api-keys: [client-key]}
oauth: {auth-dir: ${program.file(`auth-${mode}`)}}
routing:
  retry: {request-retry: 0, max-retry-interval: 0}
  cooldown: {quota-response-mode: ${mode}}
api-keys:${group('codex', `${upstream}/backend-api/codex`, 'gpt-x', 'codex')}
${group('claude', upstream, 'claude-x', 'claude')}
${group('openai-compatibility', `${upstream}/v1`, 'chat-x', 'compat')}
`;

const gateways = {};

before(async () => {
  const upstream = await program.sim(script);
  for (const mode of ['usage-limit', 'retryable']) {
    gateways[mode] = await program.gateway(mode, config(upstream, mode));
  }
});

after(() => program.stop());

/** A client whose requests are counted. */
function counting() {
  const counter = { requests: 0 };
  counter.fetch = (...args) => {
    counter.requests += 1;
    return fetch(...args);
  };
  return counter;
}

function openai(mode, counter) {
  return new OpenAI({ apiKey: 'client-key', baseURL: `${gateways[mode]}/v1`, fetch: counter.fetch });
}

function anthropic(mode, counter) {
  return new Anthropic({ apiKey: 'client-key', baseURL: gateways[mode], fetch: counter.fetch });
}

const hello = [{ role: 'user', content: 'hello' }];

async function textOf(stream, pick) {
  let text = '';
  for await (const event of stream) text += pick(event) ?? '';
  return text;
}

for (const mode of ['usage-limit', 'retryable']) {
  test(`${mode}: a second healthy credential serves every library call`, async () => {
    const counter = counting();
    const client = openai(mode, counter);
    const whole = await client.responses.create({ model: 'gpt-x', input: 'hello' });
    assert.equal(whole.output_text, 'hello from upstream');
    const events = await client.responses.create({ model: 'gpt-x', input: 'hello', stream: true });
    assert.equal(await textOf(events, (e) => e.type === 'response.output_text.delta' && e.delta || ''),
      'hello from upstream');
    const chat = await client.chat.completions.create({ model: 'chat-x', messages: hello });
    assert.equal(chat.choices[0].message.content, 'hello from upstream');
    const chunks = await client.chat.completions.create({ model: 'chat-x', messages: hello, stream: true });
    assert.equal(await textOf(chunks, (e) => e.choices[0]?.delta?.content), 'hello from upstream');

    const claude = anthropic(mode, counter);
    const message = await claude.messages.create({ model: 'claude-x', max_tokens: 16, messages: hello });
    assert.equal(message.content.find((part) => part.type === 'text').text, 'hello from upstream');
    const streamed = claude.messages.stream({ model: 'claude-x', max_tokens: 16, messages: hello });
    assert.equal(await streamed.finalText(), 'hello from upstream');
    assert.equal(counter.requests, 6);
  });
}

const final = [
  ['responses', (c) => openai('usage-limit', c).responses.create({ model: 'gpt-x-spent', input: 'hello' })],
  ['responses stream', (c) => openai('usage-limit', c).responses.create({ model: 'gpt-x-spent', input: 'hello', stream: true })],
  ['chat', (c) => openai('usage-limit', c).chat.completions.create({ model: 'chat-x-spent', messages: hello })],
  ['messages', (c) => anthropic('usage-limit', c).messages.create({ model: 'claude-x-spent', max_tokens: 16, messages: hello })],
];

for (const [name, call] of final) {
  test(`usage-limit: a used-up pool stops ${name} after one request and names the reset`, async () => {
    const counter = counting();
    const soonest = Date.now() / 1000 + 7190;
    await assert.rejects(call(counter), (error) => {
      assert.equal(error.status, 429);
      const body = error.error?.error ?? error.error;
      assert.equal(body.retryable, false);
      assert.ok(Number.isInteger(body.resets_at) && body.resets_at >= soonest);
      return true;
    });
    assert.equal(counter.requests, 1);
  });
}
