import { readEstimate } from '../../service/replies.ts'
import type { Reply } from '../caller.ts'
import type { ContractCheck, ContractContext, Finding } from '../check.ts'
import { judge } from '../check.ts'
import { refusalFaults } from '../envelope.ts'
import { isRecord, priceVersion, records } from '../records.ts'

const refused = { status: [422], reason: ['invalid_request'] }

/** Checks of the price of a sprite. */
export const priceChecks: readonly ContractCheck[] = [
  {
    clause: 'C18',
    title: 'an estimate has exactly its seven fields, for the least and the most frames and either background',
    needs: 'free',
    run: (context) =>
      estimating(context, async () => {
        const asked = [
          [12, 'remove', ''],
          [7, 'keep', '?frame_count=7&background=keep'],
          [100, 'remove', '?frame_count=100'],
        ] as const
        const faults: string[] = []
        for (const [frames, background, query] of asked) {
          const reply = await estimate(context, query)
          faults.push(...estimateFaults(reply, frames, background))
        }
        return judge([...new Set(faults)])
      }),
  },
  {
    clause: 'C18',
    title: 'an estimate is private and not to be stored',
    needs: 'free',
    run: (context) =>
      estimating(context, async (reply) => {
        const cache = reply.headers['cache-control'] ?? ''
        return /\bprivate\b/i.test(cache) && /\bno-store\b/i.test(cache)
          ? 'kept'
          : {
              broken: `Expected Cache-Control: private, no-store on an estimate, found ${cache === '' ? 'none' : JSON.stringify(cache.slice(0, 60))}.`,
            }
      }),
  },
  {
    clause: 'C18',
    title: 'an estimate outside of its rules is refused',
    needs: 'free',
    run: (context) =>
      estimating(context, async () => {
        const faults: string[] = []
        for (const query of [
          'frame_count=6',
          'frame_count=101',
          'frame_count=7.5',
          `frame_count=${context.canary()}`,
          `background=${context.canary()}`,
        ]) {
          const reply = await estimate(context, `?${query}`)
          faults.push(
            ...refusalFaults(reply, `an estimate with ${query.replace(/canary-.*/, 'a text that is none of its values')}`, refused),
          )
        }
        return judge(faults)
      }),
  },
  {
    clause: 'C18',
    title: 'an estimate takes no account selector',
    needs: 'free',
    run: (context) =>
      estimating(context, async (before) => {
        const reply = await estimate(context, `?account=${context.canary()}`)
        return reply.status === 422 || reply.text === before.text
          ? 'kept'
          : { broken: `Expected 422 or the same estimate for an account selector, found ${reply.status} with another body.` }
      }),
  },
  {
    clause: 'C18',
    title: 'an estimate moves no credit',
    needs: 'free',
    run: (context) =>
      estimating(context, async () => {
        const before = await context.caller.call({ path: '/v1/balance' })
        await estimate(context, '?frame_count=100')
        const after = await context.caller.call({ path: '/v1/balance' })
        return before.text === after.text
          ? 'kept'
          : { broken: 'Expected the same balance before and after an estimate, found another; somebody else may use the account.' }
      }),
  },
  {
    clause: 'C19',
    title: `the price has the version ${priceVersion}`,
    needs: 'free',
    run: (context) =>
      estimating(context, async ({ json }) => {
        const version = isRecord(json) ? json.price_version : undefined
        if (version === priceVersion) return 'kept'
        return {
          broken: `Expected price_version as ${priceVersion}, found ${typeof version === 'string' ? JSON.stringify(version.slice(0, 60)) : 'none'}; purchases stop until it is approved.`,
        }
      }),
  },
]

function estimate({ caller }: ContractContext, query: string): Promise<Reply> {
  return caller.call({ path: `/v1/sprite-pricing${query}`, isManaged: false })
}

/** Runs a check of estimates if the account can get one. */
async function estimating(context: ContractContext, judge: (reply: Reply) => Promise<Finding>): Promise<Finding> {
  const reply = await estimate(context, '')
  if (reply.status === 403) return { notCheckable: 'This account is not given estimates.' }
  if (reply.status !== 200) return { broken: `Expected an estimate from GET /v1/sprite-pricing, found ${reply.status}.` }
  return judge(reply)
}

function estimateFaults(reply: Reply, frames: number, background: string): string[] {
  if (reply.status !== 200 || !isRecord(reply.json)) return [`Expected an estimate for ${frames} frames, found ${reply.status}`]
  const found = Object.keys(reply.json)
  const expected = Object.keys(records.estimate)
  const further = found.filter((field) => !expected.includes(field))
  if (further.length > 0) return [`Expected seven fields in an estimate, found also ${further.join(', ')}`]
  try {
    const read = readEstimate(reply.json)
    if (read.frameCount === frames && read.background === background) return []
    return [
      `Expected an estimate for ${frames} frames with background ${background}, found one for ${read.frameCount} and ${read.background}`,
    ]
  } catch (error) {
    return [(error as Error).message]
  }
}
