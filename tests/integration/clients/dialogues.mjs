// One conversation with a model through each client library, all with the same methods, so that a
// scenario is written once:
//
//   new Dialogue({base, model, key}, {stream, system, tools, think, schema, maxTokens, fetch})
//   ask(text, image)        the user's turn            -> answer
//   reply(results)          results of the last answer's calls, in their order: text or {text, image}
//
// An answer is {text, thinking, calls: [{name, arguments}], finish, usage: {input, cached, output,
// reasoning}, value}; `value` is what the library parsed of structured output. The history goes
// back exactly as the library returned it.
import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

const dataUrl = ({ mime, base64 }) => `data:${mime};base64,${base64}`;
const textOf = (result) => result.text ?? result;

class Dialogue {
  constructor(to, wish = {}) {
    this.to = to;
    this.wish = wish;
    this.history = [];
    this.last = null;
    this.heard = '';  // text of streams, as it came
  }

  /** The next turn goes to another model. */
  move(model) {
    this.to = { ...this.to, model };
  }

  ask(text, image) {
    this.history.push(this.question(text, image));
    return this.run();
  }

  reply(results) {
    this.history.push(...this.results(results));
    return this.run();
  }
}

class OpenAiDialogue extends Dialogue {
  constructor(to, wish) {
    super(to, wish);
    this.client = new OpenAI({
      apiKey: to.key, baseURL: `${to.base}/v1`, maxRetries: wish?.retries ?? 0, fetch: wish?.fetch,
    });
  }
}

export class ChatDialogue extends OpenAiDialogue {
  question(text, image) {
    if (!image) return { role: 'user', content: text };
    return { role: 'user', content: [
      { type: 'text', text }, { type: 'image_url', image_url: { url: dataUrl(image) } }] };
  }

  results(results) {
    return this.last.tool_calls.map((call, i) =>
      ({ role: 'tool', tool_call_id: call.id, content: textOf(results[i]) }));
  }

  request() {
    const { system, tools, think, schema, maxTokens } = this.wish;
    return {
      model: this.to.model,
      messages: [...(system ? [{ role: 'system', content: system }] : []), ...this.history],
      max_completion_tokens: maxTokens ?? 4000,
      ...(think && { reasoning_effort: 'low' }),
      ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
      ...(schema && { response_format: {
        type: 'json_schema', json_schema: { name: schema.name, schema: schema.schema, strict: true } } }),
    };
  }

  async run() {
    const api = this.client.chat.completions;
    const completion = this.wish.stream
      ? await api.stream({ ...this.request(), stream_options: { include_usage: true } })
        .on('content', (text) => { this.heard += text; }).finalChatCompletion()
      : await (this.wish.schema ? api.parse(this.request()) : api.create(this.request()));
    const { message, finish_reason: finish } = completion.choices[0];
    this.last = message;
    this.history.push(withoutParsed(message));
    return {
      text: message.content ?? '',
      thinking: message.reasoning_content ?? '',
      calls: (message.tool_calls ?? []).map((call) =>
        ({ name: call.function.name, arguments: JSON.parse(call.function.arguments) })),
      finish,
      usage: {
        input: completion.usage.prompt_tokens,
        cached: completion.usage.prompt_tokens_details?.cached_tokens,
        output: completion.usage.completion_tokens,
        reasoning: completion.usage.completion_tokens_details?.reasoning_tokens,
      },
      value: message.parsed,
    };
  }
}

export class ResponsesDialogue extends OpenAiDialogue {
  question(text, image) {
    if (!image) return { role: 'user', content: text };
    return { role: 'user', content: [
      { type: 'input_text', text },
      { type: 'input_image', image_url: dataUrl(image), detail: 'auto' }] };
  }

  results(results) {
    return this.last.filter((item) => item.type === 'function_call').map((call, i) => ({
      type: 'function_call_output',
      call_id: call.call_id,
      output: results[i].image
        ? [{ type: 'input_text', text: results[i].text },
          { type: 'input_image', image_url: dataUrl(results[i].image), detail: 'auto' }]
        : textOf(results[i]),
    }));
  }

  request() {
    const { system, tools, think, schema, maxTokens } = this.wish;
    return {
      model: this.to.model,
      input: this.history,
      store: false,
      max_output_tokens: maxTokens ?? 4000,
      ...(system && { instructions: system }),
      ...(think && { reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'] }),
      ...(tools && { tools: tools.map((tool) => ({ type: 'function', ...tool })) }),
      ...(schema && { text: { format: { type: 'json_schema', ...schema, strict: true } } }),
    };
  }

  async run() {
    const api = this.client.responses;
    const response = this.wish.stream
      ? await api.stream(this.request())
        .on('response.output_text.delta', ({ delta }) => { this.heard += delta; }).finalResponse()
      : await (this.wish.schema ? api.parse(this.request()) : api.create(this.request()));
    // The library hands a failed response over as a result.
    if (response.error) {
      throw new OpenAI.APIError(undefined, response.error, response.error.message, undefined);
    }
    this.last = response.output;
    this.history.push(...response.output.map(withoutParsed));
    const items = (type) => response.output.filter((item) => item.type === type);
    return {
      text: response.output_text,
      thinking: items('reasoning').flatMap((item) => item.summary).map((part) => part.text).join(''),
      calls: items('function_call').map((call) =>
        ({ name: call.name, arguments: JSON.parse(call.arguments) })),
      finish: response.incomplete_details?.reason ?? response.status,
      usage: {
        input: response.usage.input_tokens,
        cached: response.usage.input_tokens_details.cached_tokens,
        output: response.usage.output_tokens,
        reasoning: response.usage.output_tokens_details.reasoning_tokens,
      },
      value: response.output_parsed,
    };
  }
}

export class MessagesDialogue extends Dialogue {
  constructor(to, wish) {
    super(to, wish);
    this.client = new Anthropic({
      apiKey: to.key, baseURL: to.base, maxRetries: wish?.retries ?? 0, fetch: wish?.fetch,
    });
  }

  question(text, image) {
    if (!image) return { role: 'user', content: text };
    return { role: 'user', content: [{ type: 'text', text }, block(image)] };
  }

  results(results) {
    const calls = this.last.filter((part) => part.type === 'tool_use');
    return [{ role: 'user', content: calls.map((call, i) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: results[i].image ? [{ type: 'text', text: results[i].text }, block(results[i].image)]
        : textOf(results[i]),
    })) }];
  }

  request() {
    const { system, tools, think, schema, maxTokens } = this.wish;
    return {
      model: this.to.model,
      messages: this.history,
      max_tokens: maxTokens ?? 4000,
      ...(system && { system }),
      ...(think && { thinking: think === 'budget' ? { type: 'enabled', budget_tokens: 2048 }
        : { type: 'adaptive', display: 'summarized' } }),
      ...((schema || think) && { output_config: {
        ...(think && think !== 'budget' && { effort: 'low' }),
        ...(schema && { format: jsonSchemaOutputFormat(schema.schema) }) } }),
      ...(tools && { tools: tools.map(({ name, description, parameters }) =>
        ({ name, description, input_schema: parameters })) }),
    };
  }

  async run() {
    const api = this.client.messages;
    const message = this.wish.stream
      ? await api.stream(this.request()).on('text', (text) => { this.heard += text; }).finalMessage()
      : await (this.wish.schema ? api.parse(this.request()) : api.create(this.request()));
    this.last = message.content;
    this.history.push({ role: 'assistant', content: message.content.map(withoutParsed) });
    const parts = (type) => message.content.filter((part) => part.type === type);
    const { usage } = message;
    return {
      text: parts('text').map((part) => part.text).join(''),
      thinking: parts('thinking').map((part) => part.thinking).join(''),
      calls: parts('tool_use').map((call) => ({ name: call.name, arguments: call.input })),
      finish: message.stop_reason,
      usage: {
        input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0)
          + (usage.cache_creation_input_tokens ?? 0),
        cached: usage.cache_read_input_tokens,
        output: usage.output_tokens,
      },
      value: message.parsed_output,
    };
  }
}

export class GeminiDialogue extends Dialogue {
  constructor(to, wish) {
    super(to, wish);
    this.ai = new GoogleGenAI({ apiKey: to.key, httpOptions: { baseUrl: to.base } });
    this.open([]);
  }

  open(history) {
    this.chat = this.ai.chats.create({ model: this.to.model, config: this.config(), history });
  }

  move(model) {
    super.move(model);
    this.open(this.chat.getHistory());
  }

  config() {
    const { system, tools, think, schema, maxTokens } = this.wish;
    return {
      maxOutputTokens: maxTokens ?? 4000,
      ...(system && { systemInstruction: system }),
      ...(think && { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } }),
      ...(tools && { tools: [{ functionDeclarations: tools.map(({ name, description, parameters }) =>
        ({ name, description, parametersJsonSchema: parameters })) }] }),
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema.schema }),
    };
  }

  /** The library keeps the history itself. */
  ask(text, image) {
    return this.send(image
      ? [{ text }, { inlineData: { mimeType: image.mime, data: image.base64 } }] : text);
  }

  reply(results) {
    return this.send(this.last.map(({ id, name }, i) => ({ functionResponse: {
      id, name, response: { result: textOf(results[i]) },
      ...(results[i].image && { parts: [{ inlineData: {
        mimeType: results[i].image.mime, data: results[i].image.base64 } }] }),
    } })));
  }

  async send(message) {
    const chunks = [];
    if (this.wish.stream) {
      for await (const chunk of await this.chat.sendMessageStream({ message })) {
        chunks.push(chunk);
        this.heard += textsOf([chunk], false);
      }
    } else {
      chunks.push(await this.chat.sendMessage({ message }));
    }
    this.last = partsOf(chunks).filter((part) => part.functionCall).map((part) => part.functionCall);
    const usage = chunks.findLast((chunk) => chunk.usageMetadata).usageMetadata;
    const text = textsOf(chunks, false);
    return {
      text,
      thinking: textsOf(chunks, true),
      calls: this.last.map(({ name, args }) => ({ name, arguments: args })),
      finish: chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)
        ?.candidates[0].finishReason,
      usage: {
        input: usage.promptTokenCount,
        cached: usage.cachedContentTokenCount,
        output: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
        reasoning: usage.thoughtsTokenCount ?? 0,
      },
      value: this.wish.schema && JSON.parse(text),
    };
  }
}

const partsOf = (chunks) => chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);

const textsOf = (chunks, thought) => partsOf(chunks)
  .filter((part) => part.text && Boolean(part.thought) === thought).map((part) => part.text).join('');

const block = (image) =>
  ({ type: 'image', source: { type: 'base64', media_type: image.mime, data: image.base64 } });

/** The parse helpers hang their results on the answer; the APIs do not take them back. */
function withoutParsed(value) {
  if (Array.isArray(value)) return value.map(withoutParsed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value)
    .filter(([key]) => !['parsed', 'parsed_arguments', 'parsed_output'].includes(key))
    .map(([key, member]) => [key, withoutParsed(member)]));
}

export const dialogues = {
  chat: ChatDialogue,
  responses: ResponsesDialogue,
  messages: MessagesDialogue,
  gemini: GeminiDialogue,
};
