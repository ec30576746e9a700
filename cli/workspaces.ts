import { Command } from 'commander'
import type pg from 'pg'
import { createWorkspace, findWorkspaces } from '../postgres/stores/tenancy.ts'
import { changeWorkspace, listPlans, readWorkspace } from '../postgres/stores/workspaces.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

interface ChangeOptions {
  name?: string
  plan?: string
  healthcareAgency?: boolean
  dailyAiAllowance?: string
  json?: boolean
}

export const command = () => new Command().addCommand(create()).addCommand(change())

const isName = checked((text) => text.trim() !== '', 'It is empty.')

const isCount = checked((text) => /^\d{1,6}$/.test(text), 'It is a whole number from 0 to 999999.')
const allowance = [
  '--daily-ai-allowance <count>',
  'how many journey summaries it may have written in a day',
  isCount,
] as const

const create = () =>
  new Command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'what it is called', isName)
    .option('--plan <plan>', 'how many active profiles it has room for; starter by default')
    .option('--healthcare-agency', 'every profile of it counts as a healthcare profile')
    .option(...allowance)
    .option('--json', 'print JSON')
    .action((options: ChangeOptions & { name: string }) =>
      withPostgres(async (pool) => {
        await checkPlan(pool, options.plan)
        const id = await createWorkspace(pool, options.name)
        await apply(pool, id, options)
      }),
    )

const change = () =>
  new Command('change')
    .description('change a workspace: its name, plan, healthcare mark, or allowance')
    .argument('<id or name>')
    .option('--name <name>', 'a new name', isName)
    .option('--plan <plan>', 'how many active profiles it has room for')
    .option('--healthcare-agency', 'mark it: ends delegated keys that read persons, on all its profiles')
    .option('--no-healthcare-agency', 'take the mark away')
    .option(...allowance)
    .option('--json', 'print JSON')
    .action((idOrName: string, options: ChangeOptions) =>
      withPostgres(async (pool) => {
        await checkPlan(pool, options.plan)
        const found = await findWorkspaces(pool, idOrName)
        if (found.length > 1) throw new UsageError(`several workspaces are called "${idOrName}": name one by its id.`)
        if (!found[0]) throw new UsageError(`there is no workspace "${idOrName}".`)
        await apply(pool, found[0].id, options)
      }),
    )

async function apply(pool: pg.Pool, id: string, options: ChangeOptions): Promise<void> {
  const { name, plan, healthcareAgency, dailyAiAllowance } = options
  await changeWorkspace(pool, id, {
    ...{ name, plan, isHealthcareAgency: healthcareAgency },
    dailyAiAllowance: dailyAiAllowance === undefined ? undefined : Number(dailyAiAllowance),
  })
  const workspace = await readWorkspace(pool, id)
  if (!workspace) throw new UsageError('the workspace is archived.')
  print(
    {
      workspace_id: id,
      name: workspace.name,
      plan: workspace.plan,
      is_healthcare_agency: workspace.isHealthcareAgency,
      daily_ai_allowance: workspace.dailyAiAllowance,
    },
    { json: options.json },
  )
}

async function checkPlan(pool: pg.Pool, plan: string | undefined): Promise<void> {
  const plans = await listPlans(pool)
  if (plan !== undefined && !plans.includes(plan)) {
    throw new UsageError(`there is no plan "${plan}". Plans: ${plans.join(', ')}.`)
  }
}
