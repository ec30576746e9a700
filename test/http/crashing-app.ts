import { z } from 'zod'
import { defineOperation, one } from '../../http/operation.ts'
import { mount } from '../../http/routes.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { openPostgres } from '../profiles.ts'
import { sampleApp } from './test-app.ts'

const operation = defineOperation<object>()

/** Has its effect in the transaction that keeps the answer. */
export const mintOnce = operation({
  id: 'mintOnce',
  method: 'POST',
  url: '/minted-once',
  summary: 'Mint a key',
  tags: ['Keys'],
  scopes: ['profiles:write'],
  idempotency: 'header',
  body: z.object({ note: z.string() }),
  response: one(z.object({ key: z.string() })),
  status: 201,
  handler: async ({ profile, execution }) => {
    const tx = await execution.transaction()
    const { key } = await createApiKey(tx, { profileId: profile.id, scopes: ['analytics:read'] })
    return { key }
  },
})

/** As a process of its own it dies when everything is done but the answer, as a machine would. */
if (process.argv[1] === import.meta.filename) {
  const app = await sampleApp(await openPostgres(), {
    mounts: [mount([mintOnce], {}, [])],
    plugins: [],
  })
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 201) process.kill(process.pid, 'SIGKILL')
  })
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
}
