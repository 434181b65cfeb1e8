/**
 * Each room with the tests that check it, by their folders or files in `test/`. `least` is the share of small faults
 * that they must notice, in percent, if it was measured: `npm run maintain -- mutation` plants them. CONTRIBUTING.md
 * shows the table.
 *
 * @type {Readonly<Record<string, { source: string, tests: readonly string[], least?: number }>>}
 */
export const roomTests = {
  atlas: { source: 'atlas', tests: ['atlas', 'sheets', 'security/delivery'], least: 75 },
  host: { source: 'src/host', tests: ['host', 'kill'] },
  stores: { source: 'src/stores', tests: ['stores'] },
  art: { source: 'src/art', tests: ['art'] },
  spec: { source: 'src/sprite-spec', tests: ['spec', 'options', 'workshop', 'money/chain', 'money/edited-lockfile'], least: 85 },
  credit: { source: 'src/credit', tests: ['credit'], least: 85 },
  vault: { source: 'src/vault', tests: ['vault'], least: 85 },
  service: { source: 'src/service', tests: ['service'], least: 75 },
  contract: { source: 'src/contract', tests: ['service/contract'] },
  job: { source: 'src/job', tests: ['job', 'money', 'security/records', 'security/money'], least: 85 },
  queue: { source: 'src/queue', tests: ['queue', 'worker'] },
  sheets: { source: 'src/sheets', tests: ['sheets'] },
  embedded: { source: 'src/embedded', tests: ['embedded'] },
  options: { source: 'src/options', tests: ['options', 'security/key-search'] },
  project: { source: 'src/project', tests: ['workshop', 'money', 'security/trust'] },
  workshop: {
    source: 'src/workshop',
    tests: ['workshop', 'vault/lock-merge', 'money', 'cli', 'queue', 'worker', 'plugin/panel'],
    least: 75,
  },
  cli: { source: 'src/cli', tests: ['cli', 'e2e/wrong-inputs'] },
  plugin: {
    source: 'plugin',
    tests: ['plugin', 'security/dev-server-files', 'security/dev-server-host', 'security/dev-server-messages', 'e2e'],
    least: 75,
  },
}
