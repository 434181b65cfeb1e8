import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createS3Client } from '../../../src/stores/s3-client.ts'
import { quickPorts } from '../../stores/quick-ports.ts'
import { freePort } from '../listen.ts'
import { removeFolder, type ServerProcess, serverFolder, startProcess } from './process.ts'

/** The S3 service of Ceph on loopback, with a bucket `studio`. */
export interface Radosgw {
  /** Variables that a client needs. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts a cluster of one monitor and one disk in memory, and the gateway. It takes about 15 seconds. */
export async function startRadosgw(): Promise<Radosgw> {
  const home = serverFolder({})
  for (const name of ['mon', 'osd', 'rgw']) mkdirSync(join(home, name))
  const [monitor, port] = [await freePort(), await freePort()]
  const cluster = randomUUID()
  const disk = randomUUID()
  const config = join(home, 'ceph.conf')
  writeFileSync(config, configText(home, cluster, monitor, port))
  const run = (command: string, ...args: string[]): void =>
    void execFileSync(command, ['-c', config, ...args], { stdio: 'pipe', timeout: 50_000 })
  const keyring = join(home, 'keyring')
  const makeKey = (name: string, ...flags: string[]): void =>
    void execFileSync('ceph-authtool', [keyring, ...flags, '--gen-key', '-n', name, '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'])
  makeKey('mon.', '-C')
  for (const name of ['client.admin', 'client.rgw', 'osd.0']) makeKey(name)
  const map = join(home, 'monmap')
  execFileSync('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, map])
  run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring)
  const servers: ServerProcess[] = []
  const close = async (): Promise<void> => {
    for (const server of servers.toReversed()) await server.stop('SIGKILL')
    removeFolder(home)
  }
  try {
    servers.push(await startProcess('ceph-mon', ['-c', config, '-i', 'a', '-f'], monitor, {}))
    run('ceph', '--connect-timeout', '20', 'osd', 'new', disk)
    run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
    servers.push(await startProcess('ceph-osd', ['-c', config, '-i', '0', '-f'], monitor, {}))
    const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] = ['studio-key', randomUUID()]
    const keys = [`--access-key=${AWS_ACCESS_KEY_ID}`, `--secret-key=${AWS_SECRET_ACCESS_KEY}`]
    run('radosgw-admin', 'user', 'create', '--uid=studio', '--display-name=studio', ...keys)
    servers.push(await startProcess('radosgw', ['-c', config, '-n', 'client.rgw', '-f'], port, {}))
    const env = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }
    await makeBucket(env)
    return { env, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A new cluster may answer a few times that it is not ready. */
async function makeBucket(env: Radosgw['env']): Promise<void> {
  const client = createS3Client(quickPorts(), env, { kind: 's3', bucket: 'studio', prefix: '' })
  for (let number = 1; ; number++) {
    const answer = await client.send('make the bucket', 'PUT', '', { timeoutMs: 600_000, maximumBytes: 65_536 })
    if (answer.status === 200) return
    if (number === 10) throw client.refusal('make the bucket', answer)
    await sleep(500)
  }
}

function configText(home: string, cluster: string, monitor: number, port: number): string {
  return `
[global]
fsid = ${cluster}
mon host = v2:127.0.0.1:${monitor}
public addr = 127.0.0.1
keyring = ${home}/keyring
run dir = ${home}
admin socket =
pid file =
log file = /dev/null
mon cluster log file = /dev/null
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
[mon.a]
mon data = ${home}/mon
[osd.0]
osd data = ${home}/osd
[client.rgw]
rgw data = ${home}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw rados pool pg num min = 1
rgw enable apis = s3
`
}
