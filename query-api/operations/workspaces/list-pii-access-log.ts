import { z } from 'zod'
import { type Credential, credentialKinds, type Profile } from '../../../domain/credentials.ts'
import { isAdministrator } from '../../../domain/roles.ts'
import { dayMs } from '../../../domain/time.ts'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { ApiError, limit, page } from '../../../http/operation.ts'
import {
  type AccessFilter,
  accessResults,
  listAccesses,
  type StoredAccess,
} from '../../../postgres/stores/pii-access-log.ts'
import { operation } from '../../operation.ts'

const Moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: 'must be an ISO 8601 time or a day' })
  .optional()

const PiiAccess = z
  .object({
    id: z.string(),
    occurred_at: z.iso.datetime(),
    profile_id: z.uuid().nullable(),
    credential: z
      .object({
        kind: z.enum(credentialKinds),
        id: z.string(),
        app_id: z.uuid().nullable().meta({ description: 'The app behind a token or a delegated key.' }),
        user_id: z.uuid().nullable().meta({ description: 'The person behind a session or an MCP token.' }),
      })
      .meta({ description: 'Who read.' }),
    operation: z.string().meta({ examples: ['readJourney'] }),
    method: z.string(),
    route: z.string().meta({ description: 'The template, without ids.', examples: ['/api/v1/customers/{id}/journey'] }),
    status: z.int(),
    result: z.enum(accessResults).meta({
      description:
        '`read` gave persons away, `empty` found none, `refused` was not allowed, `failed` was an error of ours.',
    }),
    person_count: z.int().meta({ description: 'How many persons the answer told of.' }),
    request_id: z.uuid().nullable(),
  })
  .meta({ id: 'PiiAccess' })

export const listPiiAccessLog = operation({
  id: 'listPiiAccessLog',
  method: 'GET',
  url: '/workspaces/:workspaceId/pii-access-log',
  summary: 'List who read personal data',
  description:
    'Newest first, kept 365 days. Owners and admins see the whole workspace; an API key sees reads of its own profile, ' +
    'and what belongs to an app sees the reads of that app alone.',
  tags: ['Workspaces'],
  grain: 'workspace',
  scopes: ['analytics:read', 'customers:read'],
  params: z.object({ workspaceId: z.string() }),
  query: z.object({
    profile_id: z.uuid().optional().meta({ description: 'Reads of one profile.' }),
    credential_id: z.string().max(100).optional().meta({ description: 'Reads with one credential.' }),
    route: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'A route’s template, or an operation.', examples: ['/api/v1/customers/{id}/journey'] }),
    from: Moment.meta({
      description: 'From this time, or from the start of this day (UTC).',
      examples: ['2026-03-01'],
    }),
    to: Moment.meta({ description: 'Before this time, or to the end of this day (UTC).', examples: ['2026-03-31'] }),
    limit: limit({ default: 50, max: 200 }),
    cursor: Cursor,
  }),
  response: page(PiiAccess),
  errors: ['forbidden'],
  handler: async ({ query, credential, profile, workspace, postgres }) => {
    const { limit, cursor, profile_id, credential_id, route, from, to } = query
    const seen = partOf(credential, profile)
    const list = [workspace.id, seen, profile_id, credential_id, route, from, to]
    const [occurredAt, id] = cursor === undefined ? [] : decodeCursor(list, Place, cursor)
    const wanted = profile_id?.toLowerCase()
    if (wanted && seen.profileId && wanted !== seen.profileId) return []
    const filter: AccessFilter = {
      workspaceId: workspace.id,
      credentialId: credential_id,
      route,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : endOf(to),
      profileId: seen.profileId ?? wanted,
      appId: seen.appId,
    }
    const after = occurredAt && id ? { occurredAt, id } : undefined
    // One more than asked for says whether there is another page.
    const found = await listAccesses(postgres, filter, { limit: limit + 1, after })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)?.place
    const hasNext = found.length > limit
    return {
      data: rows.map(toPiiAccess),
      pagination: {
        has_next: hasNext,
        cursor: hasNext && last ? encodeCursor(list, [last.occurredAt, last.id]) : null,
      },
    }
  },
})

const Place = z.tuple([z.string().regex(/^\d{4}-\d\d-\d\d [\d:.]+[+-][\d:]+$/), z.string().regex(/^\d{1,18}$/)])

/** Nobody learns from the log who else reads: what is not a person who governs the workspace sees its own part. */
function partOf(credential: Credential, profile: Profile | undefined): Pick<AccessFilter, 'profileId' | 'appId'> {
  if (credential.userId !== null) {
    if (isAdministrator(credential.role)) return {}
    throw new ApiError('forbidden', 'Only owners and admins of a workspace read its access log.')
  }
  return { profileId: profile?.id, appId: credential.appId ?? undefined }
}

const endOf = (to: string): Date => new Date(to.length === 10 ? Date.parse(to) + dayMs : to)

const toPiiAccess = (access: StoredAccess): z.infer<typeof PiiAccess> => ({
  id: access.id,
  occurred_at: access.occurredAt.toISOString(),
  profile_id: access.profileId,
  credential: {
    kind: access.credentialKind,
    id: access.credentialId,
    app_id: access.appId,
    user_id: access.userId,
  },
  operation: access.operation,
  method: access.method,
  route: access.route,
  status: access.status,
  result: access.result,
  person_count: access.personCount,
  request_id: access.requestId,
})
