// Every client library talks to every provider through a real gateway. The upstream is the
// simulator's model that follows its request and refuses what the vendor's API would refuse, so
// these tests prove both directions: what the provider was sent is legal, and what came back is what
// the library's users see: the same on every provider.
// Usage: node --test translation_test.mjs with TIDEGATE=path of the program.
import { noise } from './noise.mjs';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { dialogues } from './dialogues.mjs';
import { Program } from './program.mjs';

const program = new Program();
const clients = Object.keys(dialogues);
const providers = {
  codex: { model: 'gpt-x', path: '/backend-api/codex' },
  claude: { model: 'claude-x', path: '' },
  'openai-compatibility': { model: 'chat-x', path: '/v1' },
  gemini: { model: 'gemini-x', path: '' },
};
const troubles = {
  good: '{ok: {follow-request: true, chunks: 3}}',
  'refuses-400': '{error: {status: 400, message: the tide table is torn}}',
  'refuses-401': '{error: {status: 401}}',
  'spent-429': '{error: {preset: PRESET, resets-in: 2h}}',
  'broken-500': '{error: {status: 500}}',
  'breaks-off': '{ok: {text: high tide at noon today, chunks: 5}, fault: {error-event-after-chunks: 2}}',
};
const presets = {
  codex: 'usage-limit', claude: 'claude-unified', 'openai-compatibility': 'insufficient-quota',
  gemini: 'google-quota',
};

const ways = clients.flatMap((client) => [`${client}-whole`, `${client}-stream`]);

const script = `rules:\n${Object.keys(providers).flatMap((provider) =>
  Object.entries(troubles).map(([trouble, reply]) =>
    `  - {key: ${provider}-${trouble}*, replies: [${reply.replace('PRESET', presets[provider])}]}`))
  .join('\n')}\n`;

/** A failure is remembered, so every way of asking has credentials of its own. */
const namesOf = (trouble) => trouble === 'good' ? ['good'] : ways.map((way) => `${trouble}-${way}`);

const groups = (upstream) => Object.entries(providers).map(([provider, { model, path }]) =>
  `  ${provider}:\n${Object.keys(troubles).flatMap(namesOf).map((name) => `    - name: ${name}
      base-url: ${upstream}${path}
      models: [{name: ${model}, alias: ${model}-${name}}]
      keys: [{api-key: ${provider}-${name}}]`).join('\n')}`).join('\n');

let base;

before(async () => {
  const upstream = await program.sim(script);
  base = await program.gateway('gateway', `
config-version: 8
server: {host: 127.0.0.1, port: 0}
access: {api-keys: [client-key]}
oauth: {auth-dir: ${program.file('auth')}}
routing:
  retry: {request-retry: 0, max-retry-interval: 0}
  cooldown: {quota-response-mode: usage-limit}
api-keys:
${groups(upstream)}
`);
});

after(async () => {
  await program.stop();
  assert.deepEqual(noise, []);
});

const open = (client, provider, wish, trouble = 'good') => new dialogues[client]({
  base,
  key: 'client-key',
  model: `${providers[provider].model}-${trouble === 'good' ? trouble
    : `${trouble}-${client}-${wish.stream ? 'stream' : 'whole'}`}`,
}, wish);

/** One test per client, provider and way of answering. */
function everywhere(rule, run) {
  describe(rule, { concurrency: true }, () => {
    for (const client of clients) {
      for (const provider of Object.keys(providers)) {
        for (const stream of [false, true]) {
          test(`${client} to ${provider}, ${stream ? 'stream' : 'whole'}`,
            () => run({ client, provider, stream }));
        }
      }
    }
  });
}

const finishes = {
  chat: { stop: 'stop', calls: 'tool_calls', length: 'length', filter: 'content_filter' },
  responses: {
    stop: 'completed', calls: 'completed', length: 'max_output_tokens', filter: 'content_filter' },
  messages: { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', filter: 'refusal' },
  gemini: { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' },
};

const port = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'],
  additionalProperties: false };
const tools = [
  { name: 'get_tide', description: 'height of the tide', parameters: port },
  { name: 'get_wind', description: 'wind', parameters: {
    ...port, properties: { ...port.properties, unit: { type: 'string', enum: ['kn', 'bft'] } } } },
];
const image = { mime: 'image/png', base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42m'
  + 'NkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==' };

everywhere('text arrives whole with its usage', async ({ client, provider, stream }) => {
  const answer = await open(client, provider, { stream }).ask('say hoch “Wasser” 潮 at\tnoon');
  assert.equal(answer.text, 'hoch “Wasser” 潮 at\tnoon');
  assert.deepEqual(answer.calls, []);
  assert.equal(answer.finish, finishes[client].stop);
  const { input, cached, output } = answer.usage;
  assert.deepEqual({ input, cached, output }, { input: 120, cached: 64, output: 30 });
});

const loop = `call get_tide {"port":"Kiel"}
call get_wind {"port":"Kiel","unit":"kn"}
then
call get_tide {"port":"Bremen \\"Überseehafen\\""}
then
report`;

async function twoRounds(dialogue, client) {
  const first = await dialogue.ask(loop);
  assert.deepEqual(first.calls, [
    { name: 'get_tide', arguments: { port: 'Kiel' } },
    { name: 'get_wind', arguments: { port: 'Kiel', unit: 'kn' } }]);
  assert.equal(first.finish, finishes[client].calls);
  const second = await dialogue.reply(['4.2 m', 'W 5']);
  assert.deepEqual(second.calls,
    [{ name: 'get_tide', arguments: { port: 'Bremen "Überseehafen"' } }]);
  const last = await dialogue.reply(['1.1 m']);
  assert.equal(last.text, 'get_tide is 4.2 m. get_wind is W 5. get_tide is 1.1 m. ');
  assert.deepEqual(last.calls, []);
  assert.equal(last.finish, finishes[client].stop);
  return [first, second, last];
}

everywhere('parallel calls and their results go two rounds', async ({ client, provider, stream }) => {
  await twoRounds(open(client, provider, { stream, tools, system: 'You know ports.' }), client);
});

everywhere('calls and results go two rounds with thinking', async ({ client, provider, stream }) => {
  const answers = await twoRounds(open(client, provider, { stream, tools, think: true }), client);
  answers.forEach((answer, i) => {
    assert.equal(answer.thinking, `thinking about round ${i + 1}`);
    assert.equal(answer.usage.output, 42);
  });
});

// Chat has no place for a token, a compatible provider gives none, and Messages has no place behind
// a text for Google's.
const carries = (client, provider) => client !== 'chat' && provider !== 'openai-compatibility'
  && !(client === 'messages' && provider === 'gemini');

everywhere('thoughts come back signed to who had them', async ({ client, provider, stream }) => {
  const dialogue = open(client, provider, { stream, think: true, system: 'Be brief.' });
  assert.equal((await dialogue.ask('say one')).text, 'one');
  assert.equal((await dialogue.ask('say two')).text, 'two');
  const signed = carries(client, provider) ? 2 : 0;
  assert.equal((await dialogue.ask('recall')).text,
    `system: Be brief.. tools: . signed thoughts: ${signed}. `);
});

everywhere('an image arrives with its bytes', async ({ client, provider, stream }) => {
  const answer = await open(client, provider, { stream }).ask('report', image);
  assert.equal(answer.text, 'saw image/png 70 bytes. ');
});

everywhere('a tool result can show an image', async ({ client, provider, stream }) => {
  const dialogue = open(client, provider, { stream, tools });
  await dialogue.ask('call get_tide {"port":"Kiel"}\nthen\nreport');
  // Chat takes text only here.
  const result = client === 'chat' ? 'chart' : { text: 'chart', image };
  const answer = await dialogue.reply([result]);
  assert.equal(answer.text,
    `get_tide is chart. ${client === 'chat' ? '' : 'saw image/png 70 bytes. '}`);
});

const schema = { name: 'tide', schema: {
  type: 'object',
  properties: {
    port: { type: 'string', description: 'its name' },
    height: { type: 'number' },
    state: { type: 'string', enum: ['rising', 'falling'] },
    marks: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer' } },
      required: ['at'], additionalProperties: false } },
  },
  required: ['port', 'height', 'state', 'marks'],
  additionalProperties: false,
} };

everywhere('structured output is parsed', async ({ client, provider, stream }) => {
  const answer = await open(client, provider, { stream, schema }).ask('the tide at Kiel');
  assert.deepEqual(answer.value,
    { port: 'word', height: 7, state: 'rising', marks: [{ at: 7 }] });
});

everywhere('a cut by length keeps its text and says so', async ({ client, provider, stream }) => {
  const answer = await open(client, provider, { stream }).ask('say high tide\nfinish length');
  assert.equal(answer.text, 'high tide');
  assert.equal(answer.finish, finishes[client].length);
});

everywhere('a filtered answer says so', async ({ client, provider, stream }) => {
  const answer = await open(client, provider, { stream }).ask('say high\nfinish content_filter');
  assert.equal(answer.text, 'high');
  assert.equal(answer.finish, finishes[client].filter);
});

const pairs = Object.keys(providers).flatMap((from) =>
  Object.keys(providers).filter((to) => to !== from).map((to) => [from, to]));

describe('a conversation moves from provider to provider', { concurrency: true }, () => {
  for (const client of clients) {
    for (const [from, to] of pairs) {
      for (const stream of [false, true]) {
        test(`${client} from ${from} to ${to}, ${stream ? 'stream' : 'whole'}`, async () => {
          const think = client === 'messages' && stream ? 'budget' : true;
          const dialogue = open(client, from, { stream, tools, think });
          await dialogue.ask('say the first');
          await dialogue.ask('call get_tide {"port":"Kiel"}\nthen\nreport');
          dialogue.move(`${providers[to].model}-good`);
          const answer = await dialogue.reply(['4.2 m']);
          assert.equal(answer.text, 'get_tide is 4.2 m. ');
          await dialogue.ask('call get_wind {"port":"Kiel","unit":"kn"}\nthen\nreport');
          dialogue.move(`${providers[from].model}-good`);
          assert.equal((await dialogue.reply(['W 5'])).text, 'get_wind is W 5. ');
        });
      }
    }
  }
});

const kinds = {
  chat: OpenAI.APIError, responses: OpenAI.APIError, messages: Anthropic.APIError, gemini: ApiError };

/** The library's own error; how many requests it took. */
async function refusal(dialogue, client) {
  const error = await dialogue.ask('say it').then(() => assert.fail('an answer'), (thrown) => thrown);
  assert.ok(error instanceof kinds[client], String(error.stack));
  return error;
}

function counting() {
  const counted = { requests: 0 };
  counted.fetch = (...args) => {
    counted.requests += 1;
    return fetch(...args);
  };
  return counted;
}

/** What the library read of the error's body; Google's leaves it in the message. */
const bodyOf = (client, error) => {
  if (client === 'gemini') return JSON.parse(error.message).error;
  return client === 'messages' ? error.error.error : error.error;
};

everywhere('a 400 is final and keeps what the provider said', async ({ client, provider, stream }) => {
  const counted = counting();
  const error = await refusal(
    open(client, provider, { stream, fetch: counted.fetch, retries: 2 }, 'refuses-400'), client);
  assert.equal(error.status, 400);
  assert.match(bodyOf(client, error).message, /the tide table is torn/);
  if (client !== 'gemini') assert.equal(counted.requests, 1);
});

everywhere('a refused key is told, then the login that is needed', async ({ client, provider, stream }) => {
  const dialogue = open(client, provider, { stream }, 'refuses-401');
  const first = await refusal(dialogue, client);
  assert.equal(first.status, 401);
  assert.match(bodyOf(client, first).message, /Incorrect API key/);
  const second = await refusal(dialogue, client);
  assert.equal(second.status, 503);
  assert.match(bodyOf(client, second).message, /every login must be renewed/);
});

everywhere('a used-up pool stops the library and names the reset', async ({ client, provider, stream }) => {
  const soonest = Date.now() / 1000 + 7190;
  const counted = counting();
  const error = await refusal(
    open(client, provider, { stream, fetch: counted.fetch, retries: 2 }, 'spent-429'), client);
  assert.equal(error.status, 429);
  const body = bodyOf(client, error);
  assert.equal(body.retryable, false);
  assert.ok(Number.isInteger(body.resets_at) && body.resets_at >= soonest);
  if (client !== 'gemini') assert.equal(counted.requests, 1);
});

everywhere('a failed provider is a server error', async ({ client, provider, stream }) => {
  const error = await refusal(open(client, provider, { stream }, 'broken-500'), client);
  assert.equal(error.status, 500);
  assert.match(bodyOf(client, error).message, /The server had an error/);
});

everywhere('an answer that breaks off is an error', async ({ client, provider, stream }) => {
  const dialogue = open(client, provider, { stream }, 'breaks-off');
  const error = await refusal(dialogue, client);
  assert.match(error.message, /The server had an error/);
  if (!stream) assert.ok(error.status >= 500 && bodyOf(client, error).message);
  if (stream) assert.ok('high tide at noon today'.startsWith(dialogue.heard) && dialogue.heard);
});
