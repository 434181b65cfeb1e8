/**
 * Each room with the tests that check it, by their folders or files in `test/`, and the share of small faults that they
 * must notice, in percent. `npm run maintain -- mutation` plants the faults; CONTRIBUTING.md shows the table.
 *
 * @type {Readonly<Record<string, { source: string, tests: readonly string[], least: number }>>}
 */
export const roomTests = {
  spec: { source: 'src/spec', tests: ['spec', 'options', 'workshop', 'money/chain', 'money/edited-lockfile'], least: 85 },
  credit: { source: 'src/credit', tests: ['credit'], least: 85 },
  vault: { source: 'src/vault', tests: ['vault'], least: 85 },
  job: { source: 'src/job', tests: ['job', 'money', 'security/records', 'security/money'], least: 85 },
  atlas: { source: 'atlas', tests: ['atlas', 'sheets', 'security/delivery'], least: 75 },
  service: { source: 'src/service', tests: ['service'], least: 75 },
  workshop: {
    source: 'src/workshop',
    tests: ['workshop', 'vault/lock-merge', 'money', 'cli', 'queue', 'worker', 'plugin/panel'],
    least: 75,
  },
  plugin: {
    source: 'plugin',
    tests: ['plugin', 'security/dev-server-files', 'security/dev-server-host', 'security/dev-server-messages'],
    least: 75,
  },
}
