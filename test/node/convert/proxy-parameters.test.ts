import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { PROXY_PARAMETERS } from '#handlers/domain/legacy/apache/apache-proxy-parameters.ts'
import { loadModules, MODULES_DIRECTORY } from '#test/support/servers/private-apache.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { convertText } from '#test/unit/legacy/memory-files.ts'

const MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'slotmem_shm']
const BALANCING = ['lbmethod_byrequests', 'proxy_balancer', 'proxy_hcheck']
beforeAll(() => {
  makeDirectory()
  mkdirSync(join(directory, 'logs'))
})

/** Whether Apache knows what stands there, be its value a good one or not. */
const isKnown = (lines: string): boolean => {
  const main = join(directory, 'main.conf')
  writeFileSync(
    main,
    `ServerRoot ${directory}\nServerName x\nListen 127.0.0.1:1\n${loadModules([...MODULES, ...BALANCING])}${lines}\n`,
  )
  const { stderr } = spawnSync('/usr/sbin/apache2', ['-f', main, '-t'], {
    ...{ encoding: 'utf8', env: CLEAN_ENV, stdio: ['ignore', 'ignore', 'pipe'] },
  })
  expect(stderr).not.toMatch(/Cannot load|perhaps misspelled/)
  return !/unknown|Parameter must be in the form/i.test(stderr)
}
const alone = (parameter: string): string => `ProxyPass "/x" "http://127.0.0.1:1/" ${parameter}`
const together = (parameter: string): string =>
  `<Proxy "balancer://b">\nBalancerMember "http://127.0.0.1:2"\nProxySet ${parameter}\n</Proxy>`

/** All that a parameter could be called: the words in the modules that read them. */
const words = (): string[] =>
  ['proxy', 'proxy_balancer', 'proxy_hcheck'].flatMap((name) =>
    [
      ...readFileSync(`${MODULES_DIRECTORY}/mod_${name}.so`, 'latin1').matchAll(
        /(?<=\0)[a-z]{3,18}(?=\0)/g,
      ),
    ].map(([word]) => word),
  )

test('Apache knows no parameter of a server or a balancer of which the conversion says nothing', () => {
  expect([isKnown(alone('nonsense=1')), isKnown(together('nonsense=1'))]).toEqual([false, false])
  expect([isKnown(alone('retry=1')), isKnown(together('stickysession=a'))]).toEqual([true, true])
  const strange = [...new Set(words())].filter((word) => !PROXY_PARAMETERS.has(word))
  const missed = strange.filter(
    (word) => isKnown(alone(word)) || isKnown(alone(`${word}=1`)) || isKnown(together(`${word}=1`)),
  )
  expect(missed).toEqual([])
})

test('each is told, or carried over', () => {
  for (const [name, [fate]] of PROXY_PARAMETERS) {
    const { findings } = convertText(
      'apache',
      `<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/a\nProxyPass "/x" "http://127.0.0.1:3000/" ${name}=1\n</VirtualHost>`,
    )
    const about = findings.filter(({ reason }) => reason.startsWith(`${name}: `))
    expect([name, about.length]).toEqual([name, fate === 'kept' ? 0 : 1])
  }
})
