import { completeChat } from '../infra/chat-completions.ts'
import type { Config } from '../infra/config.ts'
import { connectOutbound } from '../infra/outbound.ts'
import { modelWriter, ownWriter, type SummaryWriter } from '../query-api/summary-writer.ts'

const maxTokens = 400

/** Who writes journey summaries in this deployment: the configured model, else the service itself. */
export function openSummaryWriter({ ai }: Pick<Config, 'ai'>): { writer: SummaryWriter; close(): Promise<void> } {
  if (!ai) return { writer: ownWriter, close: async () => {} }
  // The operator chose the address, so a model on the own network is as good as any.
  const outbound = connectOutbound({ isAllowed: () => true })
  return {
    writer: modelWriter(ai.model, (messages) => completeChat(outbound, ai, messages, { maxTokens })),
    close: () => outbound.close(),
  }
}
