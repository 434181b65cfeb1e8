import { BlockList, isIP } from 'node:net'

/**
 * IPv4 blocks of the IANA special-purpose registry, and multicast. No service uses these addresses, so blocks
 * that the registry calls globally reachable are included.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * The part of IPv6 for public addresses. Loopback, private, link-local, mapped, NAT64 and multicast addresses
 * are outside it.
 */
const publicIpv6 = ['2000::/3']

/**
 * Blocks of the IPv6 special-purpose registry inside {@link publicIpv6}. Among them are Teredo (2001::/32)
 * and 6to4 (2002::/16), whose addresses lead to an IPv4 address of the sender's choice.
 *
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const blocks = {
  loopback: toBlocks(['127.0.0.0/8', '::1/128']),
  specialIpv4: toBlocks(specialIpv4),
  publicIpv6: toBlocks(publicIpv6),
  specialIpv6: toBlocks(specialIpv6),
}

/**
 * Whether a text is an IP address of this machine, as IPv4, IPv6 or IPv4 mapped into IPv6. Returns `false`
 * for a name.
 */
function isLoopbackIp(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && blocks.loopback.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Whether a text is an IP address that is not public: private, reserved, multicast, or one that wraps an IPv4
 * address. Returns `false` for a name.
 */
export function isSpecialIp(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return blocks.specialIpv4.check(address)
  return version === 6 && (!blocks.publicIpv6.check(address, 'ipv6') || blocks.specialIpv6.check(address, 'ipv6'))
}

/** Whether a host name, as `URL` writes it, is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const name = toPlainHost(hostname)
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackIp(name)
}

/** Whether a URL's host name is this machine, or an IP address that is not public. Names are not resolved. */
export function isPrivateHost(hostname: string): boolean {
  return isLoopbackHost(hostname) || isSpecialIp(toPlainHost(hostname))
}

/** Removes the brackets of IPv6 and the dot that may end a name. */
function toPlainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function toBlocks(written: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of written) {
    const [first = '', length = ''] = block.split('/')
    list.addSubnet(first, Number(length), first.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
