import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeDatabase } from '../../src/host/net/database.ts'
import { nodeNet } from '../../src/host/net.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { StorePorts } from '../../src/stores/open.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { isTimeLimit } from '../kit/time-limits.ts'

/**
 * The ports of this machine, with short pauses.
 *
 * @param limits Ends the time limits of requests.
 */
export function quickPorts(env: StorePorts['env'] = {}, limits: Clock = nodeClock()): StorePorts {
  const clock = shortPauses()
  return {
    clock: { ...clock, sleep: (ms, signal) => (isTimeLimit(ms) ? limits : clock).sleep(ms, signal) },
    connectDatabase: nodeDatabase(),
    disk: nodeDisk(),
    env,
    net: nodeNet(),
    random: nodeRandom(),
  }
}
