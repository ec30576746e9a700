import { one } from '../../../http/operation.ts'
import { findUser, membershipsOf } from '../../../postgres/stores/users.ts'
import { operation } from '../../session-operation.ts'
import { personOf } from './person-of.ts'
import { Session, toMembership } from './session.ts'

export const readSession = operation({
  id: 'readSession',
  method: 'GET',
  url: '/session',
  summary: 'Read who is signed in',
  tags: ['Session'],
  ownAccount: true,
  response: one(Session),
  handler: async ({ credential, postgres, cookies }) => {
    const userId = personOf(credential)
    const [user, memberships] = await Promise.all([findUser(postgres, userId), membershipsOf(postgres, userId)])
    return {
      user: { id: userId, email: user?.email ?? '' },
      csrf_token: cookies.csrfToken(credential.id),
      memberships: memberships.map(toMembership),
    }
  },
})
