import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../../src/credit/credits.ts'
import type { NetRequest } from '../../../src/host/net.ts'
import { executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'
import { at, check, instead, origin } from './sound-service.ts'

describe('the one execution that is bought', () => {
  const spend = parseCredits('10')
  const isSubmission = ({ url, headers }: NetRequest): boolean => url.endsWith('/v1/execute') && headers['idempotency-key'] !== undefined

  test.each([
    ['1.5999', [], 'above the ceiling of 1.5999'],
    ['1.6', ['1.6', '0.0001'], '--spend 3.2'],
    ['3.1999', ['1.6', '0.0001'], '--spend 3.2'],
    ['3.2', ['1.6', '0.0001', '1.6', '1.6'], '--spend 4.8'],
    ['4.7999', ['1.6', '0.0001', '1.6', '1.6'], '--spend 4.8'],
    ['4.8', ['1.6', '0.0001', '1.6', '0.0001', '1.6'], ''],
  ])('C15: under a ceiling of %s sends these maxima, in this order', async (ceiling, maxima, words) => {
    const { net, lines } = await check((_request, reply) => reply, { spend: parseCredits(ceiling) })
    const sent = net.requests.filter(isSubmission).map(({ body }) => JSON.parse(new TextDecoder().decode(body)).max_credits)
    expect(sent).toEqual(maxima)
    expect(lines.some((line) => line.words.includes(words))).toBe(true)
  })

  test('C3, I6: is recorded before it is sent, sent again with key and bytes after a lost answer, and kept', async () => {
    const told: string[] = []
    const recorded: Readonly<Record<string, unknown>>[] = []
    let submissions = 0
    const { net } = await check(
      (request, reply) => {
        if (!isSubmission(request)) return reply
        told.push('sent')
        return submissions++ === 0 ? new Error('other side closed') : reply
      },
      {
        spend: parseCredits('1.6'),
        record: async (intent) => {
          recorded.push(intent)
          told.push('recorded')
        },
        keep: async (bytes, id) => void told.push(`kept ${bytes.length === zip.length} ${id}`),
      },
    )
    expect(told).toEqual(['recorded', 'sent', 'sent', 'sent', `kept true ${paidId}`])
    const [first, second] = net.requests.filter(isSubmission)
    expect(second).toEqual(first)
    expect(recorded).toMatchObject([{ key: first?.headers['idempotency-key'], maxCredits: '1.6' }])
  })

  test('C25: its file is asked for without key and version, at the place of the redirect', async () => {
    const { net } = await check((_request, reply) => reply, { spend })
    const outside = net.requests.filter(({ url }) => !url.startsWith(origin))
    expect(outside.map(({ url, headers }) => [url, headers])).toEqual([['https://files.example.com/signed', { accept: '*/*' }]])
  })

  test.each([
    ['with an address without TLS', { status: 302, headers: { location: 'http://files.example.com/x' } }, 0],
    ['that gives the file itself', { status: 200, body: zip }, 1],
  ])('C25: a link %s is not followed, and what was paid is kept', async (_what, link, count) => {
    const kept: Uint8Array[] = []
    const { net, lines } = await check(
      instead(({ url }) => url.endsWith(`${otherId}/asset`), link),
      { spend, keep: async (bytes) => void kept.push(bytes) },
    )
    expect(net.requests.filter(({ url }) => !url.startsWith(origin))).toEqual([])
    expect(kept).toHaveLength(count)
    expect(lines.find(({ clause }) => clause === 'C25')?.verdict).toBe('broken')
  })

  test('C26: a download on another origin is not asked for with the key', async () => {
    const elsewhere = 'https://evil.example.com/v1/image-jobs/x/asset'
    const { net, lines } = await check(
      at(`/v1/executions/${paidId}`, (body) => ({
        ...body,
        image_job: { ...executed.image_job, finished_assets: [{ download_url: elsewhere }] },
      })),
      { spend },
    )
    expect(net.requests.filter(({ url }) => url.includes('evil'))).toEqual([])
    expect(lines.find(({ title }) => title.startsWith('the download URL'))?.verdict).toBe('broken')
  })
})
