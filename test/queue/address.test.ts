import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { openQueues } from '../../src/queue/open.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

describe('the address of a queue', () => {
  test.each(['redis://user:secret@host/0', 'redis://host:1/x', 'http://host', 'redis:', 'postgres://u:secret@host/db', ''])(
    '%s is refused, and not repeated',
    (text) => {
      const error = (() => {
        try {
          return resolveQueueTarget(text, {})
        } catch (thrown) {
          return thrown
        }
      })()
      expect(error).toMatchObject({ code: 'SW_CONFIG' })
      expect((error as Error).message).not.toContain('secret')
    },
  )

  test('a host that only the configuration names is not asked, unless it is this machine', () => {
    const untrusted = expect.objectContaining({ code: 'SW_UNTRUSTED_HOST', facts: { host: 'queue.example', port: 6379 } })
    expect(() => resolveQueueTarget('rediss://queue.example', {})).toThrow(untrusted)
    // A host that may get the API key gets no password of Redis, and the other way round.
    expect(() => resolveQueueTarget('rediss://queue.example', { SPRITEWRIGHT_TRUSTED_HOSTS: 'queue.example' })).toThrow(untrusted)
    const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example', SPRITEWRIGHT_REDIS_PASSWORD: 'p', SPRITEWRIGHT_REDIS_USER: 'u' }
    expect(resolveQueueTarget('rediss://Queue.example:7000/3', env)).toEqual({
      ...{ kind: 'redis', host: 'Queue.example', port: 7000, database: 3, user: 'u', password: 'p', isEncrypted: true },
    })
    expect(resolveQueueTarget('redis://127.0.0.1', {})).toMatchObject({ port: 6379, database: 0, isEncrypted: false })
  })

  test('a password never travels in clear text', () => {
    const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example', SPRITEWRIGHT_REDIS_PASSWORD: 'p' }
    expect(() => resolveQueueTarget('redis://queue.example', env)).toThrow(expect.objectContaining({ code: 'SW_UNTRUSTED_HOST' }))
    expect(resolveQueueTarget('redis://queue.example', { SPRITEWRIGHT_REDIS_HOST: 'queue.example' })).toMatchObject({
      isEncrypted: false,
    })
  })

  test.each([
    ['bullmq', 'redis://127.0.0.1', 'npm install --save-dev bullmq@^6.7.0 ioredis'],
    ['bullmq', 'postgres://127.0.0.1/db', 'npm install --save-dev bullmq@^6.7.0 pg'],
  ])('without the package %s, the error for %s has the command that installs it', async (name, address, command) => {
    const host = { disk: new MemoryDisk(), env: {} } satisfies Partial<Host> as Partial<Host> as Host
    await expect(openQueues(host, address, '/nowhere')).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(command),
      facts: { package: name },
    })
  })
})

test('an empty password or user is none, and asks for no encryption', () => {
  const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example.com', SPRITEWRIGHT_REDIS_PASSWORD: '', SPRITEWRIGHT_REDIS_USER: '' }
  expect(resolveQueueTarget('redis://Queue.example.com', env)).toMatchObject({ password: undefined, user: undefined, isEncrypted: false })
})
