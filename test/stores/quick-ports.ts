import { nodeClock } from '../../src/host/clock.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeDatabase } from '../../src/host/net/database.ts'
import { nodeNet } from '../../src/host/net.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { StorePorts } from '../../src/stores/open.ts'

/** How many times faster the tests wait than a machine does: a timeout of 20 s becomes one of 1 s. */
const haste = 20

/** The ports of this machine, with short waits. */
export function quickPorts(env: StorePorts['env'] = {}): StorePorts {
  const clock = nodeClock()
  return {
    clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms / haste, signal) },
    connectDatabase: nodeDatabase(),
    disk: nodeDisk(),
    env,
    net: nodeNet(),
    random: nodeRandom(),
  }
}
