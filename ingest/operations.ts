import { reportCardPayment } from './card-payments.ts'
import { postEvent, postEvents } from './server-events.ts'

/** Every operation of this folder; the description lists them in this order. */
export const operations = [postEvent, postEvents, reportCardPayment]
