import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clauses } from '../../../src/contract/clauses.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import { createWorkshop } from '../../../src/workshop.ts'
import { describedService } from './description.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'spritewright-contract-'))
  await writeFile(join(root, 'package.json'), '{}')
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe('a project over the embedded service', () => {
  test('has a line for every clause, sends nothing without a ceiling, and keeps record and file of what it bought', async () => {
    // A limit per minute would delay the test by a minute. This test checks the rest.
    const limits = { windowMs: 1, post: 1000, get: 1000, download: 1000 }
    const workshop = await createWorkshop({ root, options: { service: 'embedded', limits } })
    try {
      const free = await workshop.contract()
      expect(clauses.filter(({ id }) => !free.some(({ clause }) => clause === id))).toEqual([])
      expect(free.filter(({ verdict }) => verdict === 'broken')).toEqual([])
      expect(free.find(({ clause }) => clause === 'C3')).toMatchObject({
        verdict: 'not checked',
        words: expect.stringContaining('--spend'),
      })
      const folder = join(root, '.spritewright', 'contract')
      expect(existsSync(folder)).toBe(false)
      const paid = await workshop.contract({ spend: parseCredits('1.6') })
      expect(paid.filter(({ verdict }) => verdict === 'broken')).toEqual([])
      const names = (await readdir(folder)).sort()
      expect(names.map((name) => name.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '*'))).toEqual(['*.zip', 'sw1-contract-*.json'])
      const intent = JSON.parse(await readFile(join(folder, names[1] ?? ''), 'utf8')) as Record<string, unknown>
      expect(intent).toMatchObject({ key: (names[1] ?? '').replace('.json', ''), maxCredits: '1.6' })
    } finally {
      await workshop.close()
    }
  })

  test('a description beside it is compared; one that is not there is wrong usage', async () => {
    const file = join(root, 'service.json')
    await writeFile(file, JSON.stringify(describedService()))
    const workshop = await createWorkshop({ root, options: { service: 'embedded' } })
    try {
      expect(await workshop.compareOpenapi(file)).toEqual([])
      await expect(workshop.compareOpenapi(join(root, 'lost.json'))).rejects.toMatchObject({ code: 'SW_USAGE' })
    } finally {
      await workshop.close()
    }
  })
})
