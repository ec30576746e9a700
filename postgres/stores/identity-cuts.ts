import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type CutSide, cutSides } from '../../domain/identity-graph.ts'
import { type Resolution, resolveClusters } from '../../domain/identity-resolution.ts'
import { cutIdOf, type NewCut } from '../../domain/unmerge.ts'
import { type Sql, transaction } from '../client.ts'
import { lockProfiles } from './identity-lock.ts'
import { loadClusters } from './identity-reads.ts'
import { recordChanges, saveResolution } from './identity-writes.ts'

export interface IdentityCuts {
  /** What the clusters would be with this cut; writes nothing. */
  preview(cut: NewCut): Promise<Resolution>
  /** Separates customers for good. A cut that stands already changes nothing. */
  make(cut: NewCut): Promise<{ cutId: string; isNew: boolean }>
  /** Takes a cut back; the links it blocked join again. False when there is none of that id. */
  undo(profileId: string, cutId: string): Promise<boolean>
}

export function identityCuts(pool: pg.Pool): IdentityCuts {
  return {
    async preview(cut) {
      const clusters = await loadClusters(pool, tokensOf(cut))
      return resolveClusters(
        {
          ...clusters,
          identifiers: [...clusters.identifiers.values()],
          links: [...clusters.links.values()],
          cuts: [...clusters.cuts, ...sidesOf(cut)],
        },
        randomUUID,
      )
    },

    async make(cut) {
      const cutId = cutIdOf(cut)
      return transaction(pool, async (tx) => {
        await lockProfiles(tx, [cut.profileId])
        const sides = sidesOf(cut)
        const { rowCount } = await tx.query(
          `INSERT INTO identity_cuts (profile_id, cut_id, token, side)
           SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`,
          [cut.profileId, cutId, sides.map(({ token }) => token), sides.map(({ side }) => side)],
        )
        if (!rowCount) return { cutId, isNew: false }
        await resolveAgain(tx, tokensOf(cut))
        await writeLedger(tx, cut.profileId, 'cut', cutId)
        return { cutId, isNew: true }
      })
    },

    async undo(profileId, cutId) {
      return transaction(pool, async (tx) => {
        await lockProfiles(tx, [profileId])
        await writeLedger(tx, profileId, 'undo_cut', cutId)
        const { rows } = await tx.query<{ profileId: string; token: string }>(
          'DELETE FROM identity_cuts WHERE profile_id = $1 AND cut_id = $2 RETURNING profile_id AS "profileId", token',
          [profileId, cutId],
        )
        if (rows.length === 0) return false
        await resolveAgain(tx, rows)
        return true
      })
    },
  }
}

const tokensOf = ({ profileId, kept, separated }: NewCut) =>
  [...kept, ...separated].map((token) => ({ profileId, token }))

const sidesOf = (cut: NewCut): CutSide[] =>
  cutSides.flatMap((side) => cut[side].map((token) => ({ cutId: cutIdOf(cut), token, side })))

async function resolveAgain(tx: pg.PoolClient, tokens: { profileId: string; token: string }[]): Promise<void> {
  const { identifiers, links, cuts, formerCustomers } = await loadClusters(tx, tokens)
  const resolution = resolveClusters(
    { identifiers: [...identifiers.values()], links: [...links.values()], cuts, formerCustomers },
    randomUUID,
  )
  await saveResolution(tx, resolution)
  await recordChanges(tx, resolution.moved, [])
}

/** Names the customers of the two sides by the identifier that was seen first on each. */
async function writeLedger(sql: Sql, profileId: string, kind: 'cut' | 'undo_cut', cutId: string): Promise<void> {
  await sql.query(
    `WITH first AS (
       SELECT DISTINCT ON (c.side) c.side, i.customer_id
       FROM identity_cuts c JOIN identifiers i USING (profile_id, token)
       WHERE c.profile_id = $1 AND c.cut_id = $2 ORDER BY c.side, i.first_seen, i.token)
     INSERT INTO identity_ledger (profile_id, kind, survivor_id, other_id, cut_id)
     SELECT $1, $3, k.customer_id, s.customer_id, $2
     FROM first k JOIN first s ON k.side = 'kept' AND s.side = 'separated'`,
    [profileId, cutId, kind],
  )
}
