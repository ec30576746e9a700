export {
  type Answer,
  type Api,
  type Client,
  type ClientOptions,
  createClient,
  type Input,
  type OperationId,
  type PagedId,
  type Row,
} from './client.ts'
export { TouchlineError, TouchlineUnreachable, type Unfinished } from './errors.ts'
export type * from './generated.ts'
