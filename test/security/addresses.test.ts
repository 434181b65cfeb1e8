import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopbackHost, isPrivateHost } from '../../src/host/net/address-blocks.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { errorOf, testClient } from '../service/fixtures.ts'

// The IANA registries of special-purpose addresses and multicast, and blocks that wrap IPv4: first address,
// prefix length.
const special: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  ['2001::', 23],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]
const open: readonly (readonly [string, number])[] = [
  ['8.0.0.0', 8],
  ['93.184.0.0', 16],
  ['172.32.0.0', 11],
  ['192.0.1.0', 24],
  ['198.20.0.0', 14],
  ['223.255.255.0', 24],
  ['2400::', 12],
  ['2606:4700::', 32],
  ['2a00::', 12],
  ['2620:4f:8001::', 48],
]

interface Block {
  readonly bits: 32 | 128
  readonly first: bigint
  readonly length: number
}

/** Reads a block: 32 bits, or the two halves of an IPv6 address around `::`, 16 bits a group. */
function parseBlock([text, length]: readonly [string, number]): Block {
  if (!text.includes(':')) return { bits: 32, first: text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n), length }
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return { bits: 128, first: groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n), length }
}

const ownBits = ({ bits, length }: Block): bigint => 1n << BigInt(bits - length)
/** An address of a block: its edges, and any between them. */
const addressIn = (written: readonly [string, number]): fc.Arbitrary<[Block, bigint]> => {
  const block = parseBlock(written)
  const last = ownBits(block) - 1n
  return fc
    .oneof(fc.constant(0n), fc.constant(last), fc.bigInt({ min: 0n, max: last }))
    .map((offset) => [block, block.first + offset] as [Block, bigint])
}

const group = (value: bigint, index: number): number => Number((value >> BigInt(112 - 16 * index)) & 65_535n)
const byte = (value: bigint, index: number): number => Number((value >> BigInt(24 - 8 * index)) & 255n)
const four = [0, 1, 2, 3]
const eight = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * Spellings that a URL accepts: four dotted parts, fewer parts, octal and hexadecimal; groups with zeros,
 * capitals, a tail of IPv4.
 */
const spellings: Readonly<Record<32 | 128, readonly ((value: bigint) => string)[]>> = {
  32: [
    (value) => four.map((index) => byte(value, index)).join('.'),
    (value) => `${four.map((index) => byte(value, index)).join('.')}.`,
    (value) => four.map((index) => `0x${byte(value, index).toString(16)}`).join('.'),
    (value) => four.map((index) => `0${byte(value, index).toString(8)}`).join('.'),
    (value) => String(value),
    (value) => `0X${value.toString(16)}`,
    (value) => `${byte(value, 0)}.${value & 0xffffffn}`,
    (value) => `${byte(value, 0)}.${byte(value, 1)}.${value & 0xffffn}`,
    (value) => four.map((index) => [...String(byte(value, index))].map((digit) => `%3${digit}`).join('')).join('%2E'),
  ],
  128: [
    (value) => `[${eight.map((index) => group(value, index).toString(16)).join(':')}]`,
    (value) =>
      `[${eight
        .map((index) => group(value, index).toString(16).padStart(4, '0'))
        .join(':')
        .toUpperCase()}]`,
    (value) => {
      const head = eight.slice(0, 6).map((index) => group(value, index).toString(16))
      return `[${head.join(':')}:${four.map((index) => byte(value & 0xffffffffn, index)).join('.')}]`
    },
  ],
}

const hostOf = (spelled: string): string => new URL(`https://${spelled}/`).hostname

/** A host name of any address of some blocks, in any spelling, as `URL` reads it. */
const hosts = (blocks: readonly (readonly [string, number])[]): fc.Arbitrary<string> =>
  fc.tuple(fc.oneof(...blocks.map(addressIn)), fc.nat()).map(([[{ bits }, value], pick]) => {
    const ways = spellings[bits]
    return hostOf(ways[pick % ways.length]?.(value) ?? '')
  })

describe('addresses of redirects', () => {
  test.each([
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:7f00:1::1]'],
    ['SIIT', '[::ffff:0:7f00:1]'],
  ])('L7: a download that leads to this machine by %s is refused before anything is sent there', async (_, host) => {
    const net = scriptedNet((request) =>
      request.url.includes('/v1/') ? { status: 302, headers: { location: `https://${host}/file` } } : json(200, 'reached'),
    )
    const error = await errorOf(testClient(net).client.download('https://api.example.com/v1/image-jobs/j/asset'))
    expect([error.code, error.facts.found]).toEqual(['SW_WIRE', 'a redirect into a private network'])
    expect(net.requests).toHaveLength(1)
  })

  test('L7: every address of every special block is refused, in every spelling that a URL takes', () => {
    for (const block of special) fc.assert(fc.property(hosts([block]), (host) => isPrivateHost(host)))
  })

  test('L7: an address outside of the special blocks is public, in every spelling', () => {
    fc.assert(fc.property(hosts(open), (host) => !isPrivateHost(host) && !isLoopbackHost(host)))
  })

  test('L7: exactly 127.0.0.0/8, ::1 and the mapped form of the first are this machine', () => {
    const own: [string, number][] = [
      ['127.0.0.0', 8],
      ['::1', 128],
      ['::ffff:7f00:0', 104],
    ]
    fc.assert(fc.property(hosts(own), (host) => isLoopbackHost(host)))
    const others = special.filter(([first]) => !['127.0.0.0', '::', '::1', '::ffff:0:0'].includes(first))
    fc.assert(fc.property(hosts(others), (host) => !isLoopbackHost(host)))
  })
})
