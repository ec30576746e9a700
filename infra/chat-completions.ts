import { z } from 'zod'
import type { Outbound } from './outbound.ts'

/** A model behind an OpenAI-compatible endpoint. */
export interface ChatModel {
  /** Up to and with the version: `https://api.example/v1`. */
  url: string
  model: string
  key: string | undefined
}

export interface ChatMessage {
  role: 'system' | 'user'
  content: string
}

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
})

const timeoutMs = 20_000
const maxBytes = 256 * 1024

/** The model gave no usable answer; whatever it did say stays here. */
export class ChatError extends Error {
  constructor(why: string, options: { cause?: unknown } = {}) {
    super(`The model gave no answer: ${why}.`, options)
    this.name = 'ChatError'
  }
}

export async function completeChat(
  outbound: Outbound,
  { url, model, key }: ChatModel,
  messages: readonly ChatMessage[],
  { maxTokens, signal }: { maxTokens: number; signal?: AbortSignal },
): Promise<string> {
  const answer = await outbound
    .send(`${url.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, max_tokens: maxTokens, temperature: 0.2 }),
      timeoutMs,
      maxBytes,
      ...(signal ? { signal } : {}),
    })
    .catch((cause: unknown) => {
      throw new ChatError('the call failed', { cause })
    })
  if (answer.status !== 200) throw new ChatError(`status ${answer.status}`)
  const parsed = Completion.safeParse(parseJson(answer.body))
  const text = parsed.data?.choices[0]?.message.content?.trim()
  if (!text) throw new ChatError('an empty or unreadable body')
  return text
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
