import { expect, test } from 'vitest'
import { describeProxies, readProxies } from '../../src/host/net/proxies.ts'

test.each([
  [{}, ''],
  [{ HTTPS_PROXY: 'http://anna:secret@proxy.test:3128/x' }, 'http://proxy.test:3128 from HTTPS_PROXY'],
  [{ HTTP_PROXY: 'proxy.test:3128' }, 'http://proxy.test:3128 from HTTP_PROXY'],
  [{ HTTP_PROXY: 'plain.test:1', https_proxy: 'https://safe.test:2' }, 'https://safe.test:2 from HTTPS_PROXY'],
  [
    { HTTPS_PROXY: 'http://upper.test:1', https_proxy: 'http://lower.test:2', no_proxy: ' .local ' },
    'http://lower.test:2 from HTTPS_PROXY, but not for .local from NO_PROXY',
  ],
  [{ NO_PROXY: '*' }, ''],
  [{ HTTPS_PROXY: 'http://upper.test:1', https_proxy: '' }, ''],
])('the proxies of %j are told with their variable and without a password: %s', (env, words) => {
  expect(describeProxies(readProxies(env))).toBe(words)
})

test.each(['socks5://anna:secret@proxy.test', 'http://'])('the proxy %s is refused and not repeated', (written) => {
  const read = () => readProxies({ HTTPS_PROXY: written })
  expect(read).toThrow(expect.objectContaining({ code: 'SW_CONFIG', facts: { variable: 'HTTPS_PROXY' } }))
  expect(read).not.toThrow(/secret/)
})
