import { once } from 'node:events'

/** What the bench asks this program for: its first message. */
export async function settings<Settings>(): Promise<Settings> {
  const [message] = await once(process, 'message')
  return message as Settings
}

export const answer = (message: unknown): void => void process.send?.(message)
