import { Command } from 'commander'
import { isUuid } from '../domain/ids.ts'
import { stageOutcomes, uncounted } from '../domain/pipeline-stages.ts'
import { transaction } from '../postgres/client.ts'
import { listDefinitions } from '../postgres/stores/definitions.ts'
import { findStage, listStages, mapStage, type PipelineStage } from '../postgres/stores/pipeline-stages.ts'
import { profileCalled } from './profile-called.ts'
import { print, UsageError, withPostgres } from './with-postgres.ts'

interface Options {
  profile: string
  provider?: string
  to: string
  json?: boolean
}

export const command = () =>
  new Command()
    .description('stages of CRM pipelines, and what a deal in one counts as')
    .addCommand(list())
    .addCommand(map())

const list = () =>
  new Command('list')
    .description('list the stages that deals were seen in')
    .requiredOption('--profile <id>', 'the profile')
    .option('--provider <name>', 'of this CRM only')
    .option('--json', 'print JSON, one stage a line')
    .action((options: Options) =>
      withPostgres(async (pool) => {
        await profileCalled(pool, options.profile)
        for (const stage of await listStages(pool, options.profile, options.provider)) {
          const row = shown(stage)
          console.log(options.json ? JSON.stringify(row) : Object.values(row).join('  '))
        }
      }),
    )

const map = () =>
  new Command('map')
    .description('say what a deal in a stage counts as; what is derived from its deals is derived again')
    .argument('<stage>', 'the stage, by its id in the list')
    .requiredOption('--profile <id>', 'the profile')
    .requiredOption('--to <event type>', 'one that a definition counts, or unmapped, or ignored')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      withPostgres(async (pool) => {
        const { profile, to } = options
        await profileCalled(pool, profile)
        const keys = [...stageOutcomes(await listDefinitions(pool, profile)), ...uncounted]
        if (!keys.includes(to)) throw new UsageError(`a stage can count as ${keys.join(', ')}.`)
        const stage = isUuid(id) ? await findStage(pool, profile, id) : undefined
        if (!stage) throw new UsageError(`the profile has no stage ${id}: "touchline stages list" shows them.`)
        print(shown(await transaction(pool, (tx) => mapStage(tx, stage, to))), options)
      }),
    )

const shown = ({ id, provider, pipeline, stageId, name, eventKey, source }: PipelineStage) => ({
  id,
  provider,
  pipeline,
  stage_id: stageId,
  name,
  event_key: eventKey,
  source,
})
