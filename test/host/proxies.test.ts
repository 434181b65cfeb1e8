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

test.each([
  ['HTTPS_PROXY', { https_proxy: 'ftp://proxy.test' }],
  ['HTTP_PROXY', { HTTP_PROXY: 'a b' }],
])('the refusal of a proxy names the variable %s, what is expected and that nothing was sent', (variable, env) => {
  const message = `Expected the environment variable ${variable} as a proxy like http://proxy.example.com:3128, found something else. Nothing was sent; correct it or unset it.`
  expect(() => readProxies(env)).toThrow(expect.objectContaining({ code: 'SW_CONFIG', message, facts: { variable } }))
})

test('proxies are read whole: each with its scheme, and without the blanks around it', () => {
  const env = { http_proxy: ' plain.test:1 ', HTTPS_PROXY: 'https://anna:secret@safe.test:2/', NO_PROXY: ' a.test,b.test ' }
  expect(readProxies(env)).toEqual({
    httpProxy: 'http://plain.test:1',
    httpsProxy: 'https://anna:secret@safe.test:2/',
    noProxy: 'a.test,b.test',
  })
})
