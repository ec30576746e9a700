import { z } from 'zod'
import type { CustomDomain as Stored } from '../../../postgres/stores/custom-domains.ts'
import { dnsRecords } from '../../tracking/domain-verdict.ts'

const DnsRecord = z
  .object({ type: z.enum(['TXT', 'CNAME']), name: z.string(), value: z.string() })
  .meta({ id: 'DnsRecord' })

const DomainCheck = z
  .object({
    record: z.enum(['TXT', 'CNAME']),
    name: z.string(),
    expected: z.string(),
    found: z.array(z.string()),
    ok: z.boolean(),
  })
  .meta({ id: 'DomainCheck' })

export const CustomDomain = z
  .object({
    id: z.uuid(),
    host: z.string().meta({ examples: ['t.example.com'] }),
    status: z.enum(['pending', 'verified', 'failed']).meta({ description: 'Only a verified host is served.' }),
    dns_records: z.array(DnsRecord).meta({ description: 'What to put into the zone of the domain.' }),
    checks: z.array(DomainCheck).meta({ description: 'What the last check found; empty before the first.' }),
    checked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'CustomDomain' })

export const toCustomDomain = (stored: Stored, trackerUrl: string): z.infer<typeof CustomDomain> => ({
  id: stored.id,
  host: stored.host,
  status: stored.status,
  dns_records: dnsRecords(stored, trackerUrl),
  checks: stored.checks,
  checked_at: stored.checkedAt?.toISOString() ?? null,
  created_at: stored.createdAt.toISOString(),
})
