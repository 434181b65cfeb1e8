import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { createWorkshop, type DoctorFinding } from '../../src/workshop.ts'
import { createProject } from '../kit/project.ts'
import { type S3Rules, startS3Double } from '../kit/s3-double.ts'

/** What doctor says of the journal and the results that are in one bucket. */
async function findings(rules: S3Rules): Promise<{ journal: DoctorFinding; results: DoctorFinding; keys: readonly string[] }> {
  const double = await startS3Double(rules)
  onTestFinished(() => double.close())
  const project = await createProject()
  onTestFinished(() => project.remove())
  const { root } = project
  const store = { shared: 's3://studio/game', journal: 's3://studio/game' }
  const host = { ...nodeHost(), env: double.env, stateFolder: join(root, '.state') }
  const workshop = await createWorkshop({ root, options: { service: 'embedded', store }, host })
  onTestFinished(() => workshop.close())
  const all = await workshop.doctor()
  const of = (name: string): DoctorFinding => all.find(({ check }) => check === name) as DoctorFinding
  return { journal: of('shared journal'), results: of('shared results'), keys: [...double.files.keys()] }
}

test('doctor probes the bucket as a purchase will (kind: a check that does not look)', async () => {
  const { journal, results } = await findings({})
  expect([journal.verdict, results.verdict]).toEqual(['good', 'good'])
})

test.each(['ignored', 'refused'] as const)(
  'a bucket with the condition %s is bad for the journal, and doctor says that it serves results all the same',
  async (condition) => {
    const { journal, results } = await findings({ condition })
    expect(journal).toMatchObject({ verdict: 'bad', found: 'SW_STORE_UNSAFE', advice: expect.stringContaining('still serves results') })
    expect(results.verdict).toBe('good')
  },
)

test('a machine that may only read is told what it can do, and what not', async () => {
  const { journal, results, keys } = await findings({ fault: ({ method }) => (method === 'PUT' ? { answer: 403 } : undefined) })
  expect(journal).toMatchObject({ verdict: 'warning', advice: expect.stringMatching(/can build what is bought.*right to write/s) })
  expect(results.verdict).toBe('warning')
  expect(keys).toEqual([])
})

test('a bucket that answers nothing but errors is bad', async () => {
  const { journal } = await findings({ fault: () => ({ answer: 503 }) })
  expect(journal).toMatchObject({ verdict: 'bad', found: 'SW_STORE' })
})
