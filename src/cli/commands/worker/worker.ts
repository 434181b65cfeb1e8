import type { Clock } from '../../../host/clock.ts'
import { eventRecord, type OrderStatus, type Tell, type WorkerStatus, type WorkRequest } from '../../../workshop.ts'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { toFailures, weightiest } from '../../failure.ts'
import { ink } from '../../view/ink.ts'
import type { Printer } from '../../view/printer.ts'

/** `spritewright worker`: buys for machines without an API key until Ctrl-C. `worker status` shows workers and orders. */
export async function worker({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [what, ...more] = args.names
  if (more.length > 0 || (what !== undefined && what !== 'status')) {
    const found = JSON.stringify(args.names.join(' ').slice(0, 80))
    throw usageError(`Expected npx spritewright worker, or npx spritewright worker status, found ${found}.`)
  }
  if (what === 'status') {
    const status = await withWorkshop((workshop) => workshop.workerStatus())
    printer.document(status)
    tellStatus(printer, status, parts.host.clock.wall())
    return 0
  }
  const http = readHttp(args.text('http'))
  const tell = createTeller(printer, parts.host.clock)
  printer.hint(ink('dim', 'Ctrl-C ends it in order.'))
  const tellEnd = (facts: object): void => printer.event({ time: toIso(parts.host.clock.wall()), event: 'ended', ...facts })
  try {
    await withWorkshop((workshop) => workshop.work({ signal: parts.signal, onEvent: tell, http }))
  } catch (error) {
    const { code, message } = weightiest(toFailures(error)) ?? {}
    tellEnd({ level: 'error', message, code })
    throw error
  }
  tellEnd({ level: 'info', message: 'The worker has ended.' })
  printer.note('The worker has ended.')
  return 0
}

/** Reads `HOST:PORT`, or a port of loopback. */
function readHttp(text: string | undefined): WorkRequest['http'] {
  if (text === undefined) return undefined
  const [, inBrackets, host, port = ''] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):)?(\d{1,5})$/.exec(text) ?? []
  if (port !== '' && Number(port) <= 65_535) return { address: inBrackets ?? host ?? '127.0.0.1', port: Number(port) }
  throw usageError(`Expected --http to be like 127.0.0.1:9464, found ${JSON.stringify(text.slice(0, 80))}.`, { option: '--http' })
}

/** Prints each event in a line with its time. With `--json`, each line is one JSON object. */
function createTeller(printer: Printer, clock: Clock): Tell {
  return (event) => {
    const record = eventRecord(event, clock.wall())
    printer.event(record)
    printer.line(ink('dim', record.time), ` ${event.message}`)
  }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}

function tellStatus(printer: Printer, { queue, worker, running, waiting, failed }: WorkerStatus, now: number): void {
  if (!worker) printer.line('No worker was ever active at ', ink('bold', queue), '.')
  else if (worker.hasEnded) printer.line('No worker is active at ', ink('bold', queue), `. ${worker.by} ended ${ago(worker.seen, now)}.`)
  else printer.line('Worker ', ink('bold', worker.by), `, since ${toIso(worker.since)}, last sign ${ago(worker.seen, now)}.`)
  const tell = (title: string, orders: readonly OrderStatus[]): void => {
    printer.line(`${title}: ${orders.length}`)
    for (const { id, project, commit, message } of orders)
      printer.line(
        '  ',
        project === undefined ? '' : `${project}: `,
        ink('bold', id),
        commit === undefined ? '' : ink('dim', ` ${commit.slice(0, 12)}`),
        message === undefined ? '' : `  ${message}`,
      )
  }
  tell('Running', running)
  tell('Waiting', waiting)
  if (failed.length > 0) tell('Refused or failed', failed)
}

function ago(at: number, now: number): string {
  return `${Math.max(0, Math.round((now - at) / 1000))} s ago`
}
