import { connectProducer } from '../../../infra/kafka/producer.ts'
import { pipeline } from '../../../processors/runner/pipeline.ts'
import { run } from '../../../processors/runner/run.ts'
import { topics } from '../../../schemas/topics.ts'
import { brokers, testCodec } from '../../kafka.ts'

/** A processor that enters its sink, says so, and never comes back. */
const name = process.argv[2]!
const chain = pipeline({ ...topics.dirtyCustomers, name }).sink(
  () =>
    new Promise<void>(() => {
      process.send?.('in the sink')
    }),
)
run([chain], { brokers, producer: connectProducer({ brokers }), codec: testCodec, seal: (bytes) => bytes })
