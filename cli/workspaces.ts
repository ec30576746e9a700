import { Command } from 'commander'
import type pg from 'pg'
import { createWorkspace, findWorkspaces } from '../postgres/stores/tenancy.ts'
import { changeWorkspace, listPlans, readWorkspace } from '../postgres/stores/workspaces.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

interface ChangeOptions {
  name?: string
  plan?: string
  healthcareAgency?: boolean
  json?: boolean
}

export const command = () => new Command().addCommand(create()).addCommand(change())

const isName = checked((text) => text.trim() !== '', 'It is empty.')

const create = () =>
  new Command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'what it is called', isName)
    .option('--plan <plan>', 'how many active profiles it has room for; starter by default')
    .option('--healthcare-agency', 'every profile of it counts as a healthcare profile')
    .option('--json', 'print JSON')
    .action((options: ChangeOptions & { name: string }, self: Command) =>
      withPostgres(self, async (pool) => {
        await checkPlan(pool, options.plan)
        const id = await createWorkspace(pool, options.name)
        await apply(pool, id, options)
      }),
    )

const change = () =>
  new Command('change')
    .description('change a workspace: its name, plan, or healthcare mark')
    .argument('<id or name>')
    .option('--name <name>', 'a new name', isName)
    .option('--plan <plan>', 'how many active profiles it has room for')
    .option('--healthcare-agency', 'mark it: ends delegated keys that read persons, on all its profiles')
    .option('--no-healthcare-agency', 'take the mark away')
    .option('--json', 'print JSON')
    .action((idOrName: string, options: ChangeOptions, self: Command) =>
      withPostgres(self, async (pool) => {
        await checkPlan(pool, options.plan)
        const found = await findWorkspaces(pool, idOrName)
        if (found.length > 1) throw new UsageError(`several workspaces are called "${idOrName}": name one by its id.`)
        if (!found[0]) throw new UsageError(`there is no workspace "${idOrName}".`)
        await apply(pool, found[0].id, options)
      }),
    )

async function apply(pool: pg.Pool, id: string, { name, plan, healthcareAgency, json }: ChangeOptions): Promise<void> {
  await changeWorkspace(pool, id, { name, plan, isHealthcareAgency: healthcareAgency })
  const workspace = await readWorkspace(pool, id)
  if (!workspace) throw new UsageError('the workspace is archived.')
  const { name: called, plan: taken, isHealthcareAgency } = workspace
  print({ workspace_id: id, name: called, plan: taken, is_healthcare_agency: isHealthcareAgency }, { json })
}

async function checkPlan(pool: pg.Pool, plan: string | undefined): Promise<void> {
  const plans = await listPlans(pool)
  if (plan !== undefined && !plans.includes(plan)) {
    throw new UsageError(`there is no plan "${plan}". Plans: ${plans.join(', ')}.`)
  }
}
