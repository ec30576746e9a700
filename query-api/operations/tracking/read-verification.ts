import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { latestVerification } from '../../../postgres/stores/install-verifications.ts'
import { operation } from '../../tracking-operation.ts'
import { InstallVerification, toInstallVerification } from './install-verification.ts'

export const readVerification = operation({
  id: 'readInstallVerification',
  method: 'GET',
  url: '/tracking/verification',
  summary: 'Read the latest install verification',
  description: 'Null when none was ever started.',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  response: one(InstallVerification.nullable()),
  handler: async ({ profile, postgres }) => {
    const latest = await asProfile(postgres, profile.id, (tx) => latestVerification(tx, profile.id))
    return latest ? toInstallVerification(latest) : null
  },
})
