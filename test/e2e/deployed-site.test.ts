import { afterAll, beforeAll, expect, it } from 'vitest'
import { startGitServer, type GitServer } from '#test/support/git-server.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'

/** PHP and static sites that are deployed from a repository, met by visitors. */
shareInstance({
  settings: { databases: 'mariadb = "off"' },
  append: '[applications]\nallow_local_sources = true',
})

let tenant: Tenant
let repository: GitServer
const at = (rest = '') => `/api/applications/${tenant.id}/shop${rest}`
const page = (mark: string): string => `<?php
header('Cache-Control: no-store');
require __DIR__ . '/../lib.php';
echo '${mark} ', lib(), ' ', realpath(__DIR__ . '/../storage') === false ? 'none' : 'shared', ' ', PHP_VERSION;`
const files = (mark: string): Record<string, string> => ({
  'public/index.php': page(mark),
  'public/page.php': `<?php header('Cache-Control: max-age=600'); echo 'page ${mark}';`,
  'public/style.css': `/* ${mark} */`,
  'lib.php': `<?php function lib() { return '${mark}'; }`,
  'storage/.keep': '',
})
interface Deployment {
  id: string
  state: string
  release: string
  output: string
}
const deploy = () => panel.data<Deployment>('POST', at('/deploy'))
const get = async (path: string) => (await instance.site(tenant.domain, path)).text

beforeAll(async () => {
  tenant = await Tenant.create(panel)
  repository = await startGitServer()
  await repository.commit(files('one'))
  await panel.data('POST', '/api/applications', {
    ...{ account_id: tenant.id, name: 'shop', runtime_kind: 'none', start_command: null },
    ...{ source_url: repository.url, source_branch: 'main', public_folder: 'public' },
    ...{ shared_paths: ['storage/', '.env', 'public/uploads/'] },
    build_command: 'php -r "echo PHP_SAPI, PHP_EOL;" && test -L storage',
  })
  const { public_key } = await panel.data<{ public_key: string }>('POST', at('/deploy-key'))
  repository.allow(public_key)
})
afterAll(() => repository?.stop())

it('serves a domain from the live release, with PHP', async () => {
  await tenant.put('public_html/index.php', '<?php echo "own files";')
  const domains = await panel.data<{ id: number }[]>('GET', `/api/domains?q=${tenant.domain}`)
  await panel.data('PUT', at(`/domains/${domains[0]?.id}`))
  // Until something is live, its own files.
  expect(await get('/index.php')).toBe('own files')
  const first = await deploy()
  expect(first.output).toContain('cli\n')
  expect(await get('/')).toMatch(/^one one shared 8/)
  expect(await get('/style.css')).toBe('/* one */')
  const link = await tenant.run('readlink', ['--', tenant.path('apps/shop/current')])
  expect(link.stdout.trim()).toBe(`releases/${first.release}`)
  expect(await panel.data('GET', at())).toMatchObject({
    state: 'served',
    site_root: `apps/shop/releases/${first.release}/public`,
  })
  // Nothing beside the public folder is reached.
  for (const path of ['/lib.php', '/../lib.php', '/..%2flib.php'])
    expect((await instance.site(tenant.domain, path)).text).not.toBe('')
  expect(await get('/lib.php')).toMatch(/^one one shared/)
})

it('meets visitors with the new release at once, and fails none of them', async () => {
  expect(await get('/page.php')).toBe('page one')
  const seen = new Set<string>()
  let failed = 0
  let done = false
  const visit = async (path: string): Promise<void> => {
    while (!done) {
      const { status, text } = await instance.site(tenant.domain, path)
      if (status === 200) seen.add(text)
      else failed += 1
    }
  }
  const visitors = ['/', '/?2', '/style.css', '/page.php'].map(visit)
  for (const mark of ['two', 'three']) {
    await repository.commit(files(mark))
    await deploy()
    expect(await get('/')).toMatch(new RegExp(`^${mark} ${mark} shared`))
    expect(await get('/page.php')).toBe(`page ${mark}`)
    expect(await get('/style.css')).toBe(`/* ${mark} */`)
  }
  done = true
  await Promise.all(visitors)
  expect(failed).toBe(0)
  // Never the page of one release with the code of another.
  for (const text of seen) {
    const [, one, two] = /^(\w+) (\w+) shared/.exec(text) ?? []
    expect(one).toBe(two)
  }
  expect([...seen].some((text) => text.startsWith('two two'))).toBe(true)
})

it('shares files between releases, and goes back to one of them', async () => {
  await tenant.put('apps/shop/shared/.env', 'MODE=live\n')
  await tenant.put('apps/shop/shared/public/uploads/cat.txt', 'a cat')
  expect(await get('/uploads/cat.txt')).toBe('a cat')
  await repository.commit({ ...files('four'), 'public/env.php': '<?php readfile("../.env");' })
  await deploy()
  expect(await get('/env.php')).toBe('MODE=live\n')
  expect(await get('/uploads/cat.txt')).toBe('a cat')
  const [, , former] = await panel.data<Deployment[]>('GET', at('/deployments'))
  await panel.data('POST', at(`/deployments/${former?.id}/restore`))
  expect(await get('/')).toMatch(/^two two/)
  expect(await get('/page.php')).toBe('page two')
  expect(await get('/uploads/cat.txt')).toBe('a cat')
})

it('stays as it is where a deployment fails', async () => {
  const refused = async (change: object, message: string) => {
    await panel.data('PATCH', at(), change)
    const { status, body } = await panel.call('POST', at('/deploy'))
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)])
    expect(await get('/')).toMatch(/^two two/)
  }
  await refused({ public_folder: 'nowhere' }, 'no folder nowhere')
  await panel.data('PATCH', at(), { public_folder: '' })
  const whole = await deploy()
  expect((await instance.site(tenant.domain, '/.git/config')).status).toBe(404)
  expect(await get('/public/style.css')).toBe('/* four */')
  const all = await panel.data<Deployment[]>('GET', at('/deployments'))
  await panel.data('PATCH', at(), { public_folder: 'public' })
  const two = all.filter(({ state, id }) => state === 'live' && id !== whole.id)[0]
  await panel.data('POST', at(`/deployments/${two?.id}/restore`))
  await refused({ public_folder: 'public', build_command: 'exit 3' }, 'exit code 3')
  await repository.git('rm', '-rq', '--', 'storage')
  await tenant.run('mkdir', ['-p', '--', tenant.path('precious/inner')])
  await repository.git('config', 'core.symlinks', 'true')
  const { mustRun } = await import('#adapters/node/process/run-command.ts')
  await mustRun('ln', ['-s', '--', tenant.path('precious'), `${repository.directory}/linked`])
  await repository.commit({ 'public/more.txt': 'x' })
  const shared_paths = ['linked/inner/']
  await refused({ build_command: null, shared_paths }, 'A link stands in the way of linked/inner')
  expect((await tenant.run('ls', ['--', tenant.path('precious')])).stdout).toBe('inner\n')
})

it('has composer bring what it needs, as the account', async () => {
  const json = (value: unknown): string => JSON.stringify(value, null, 2)
  // All of it lies in the repository: nothing is fetched.
  await repository.commit({
    'composer.json': json({
      name: 'test/shop',
      repositories: [{ type: 'path', url: 'packages/*' }, { 'packagist.org': false }],
      require: { 'test/greeting': '*', 'test/plugin': '*' },
      autoload: { 'psr-4': { 'Shop\\': 'src/' } },
      config: { 'allow-plugins': { 'test/plugin': true } },
      scripts: { 'post-autoload-dump': ['id -un > script-ran', '@php -r "echo PHP_VERSION;"'] },
    }),
    'src/Page.php':
      '<?php namespace Shop; class Page { static function text() { return \\Test\\Greeting::TEXT; } }',
    'packages/greeting/composer.json': json({
      ...{ name: 'test/greeting', version: '1.0.0' },
      autoload: { 'psr-4': { 'Test\\': '' } },
    }),
    'packages/greeting/Greeting.php':
      '<?php namespace Test; class Greeting { const TEXT = "brought"; }',
    'packages/plugin/composer.json': json({
      ...{ name: 'test/plugin', version: '1.0.0', type: 'composer-plugin' },
      require: { 'composer-plugin-api': '^2.0' },
      autoload: { classmap: ['Plugin.php'] },
      extra: { class: 'Plugin' },
    }),
    'packages/plugin/Plugin.php': `<?php
use Composer\\Composer;
use Composer\\IO\\IOInterface;
class Plugin implements \\Composer\\Plugin\\PluginInterface {
  public function activate(Composer $composer, IOInterface $io) {
    $seen = [posix_geteuid(), is_readable('${instance.config.paths.state_dir}/agent'), getenv('HOME'), $composer->getConfig()->get('cache-dir')];
    file_put_contents('plugin-ran', json_encode($seen));
  }
  public function deactivate(Composer $composer, IOInterface $io) {}
  public function uninstall(Composer $composer, IOInterface $io) {}
}`,
    'public/brought.php':
      '<?php require __DIR__ . "/../vendor/autoload.php"; echo Shop\\Page::text();',
  })
  const change = { build_command: null, shared_paths: [], public_folder: 'public' }
  await panel.data('PATCH', at(), { ...change, install_command: 'composer install --no-dev' })
  const { release, output } = await deploy()
  expect(output).toContain('Installing test/greeting (1.0.0)')
  expect(await get('/brought.php')).toBe('brought')
  const read = async (name: string) =>
    (await tenant.run('cat', ['--', tenant.path(`apps/shop/releases/${release}/${name}`)])).stdout
  expect(await read('script-ran')).toBe(`${tenant.username}\n`)
  const [uid, sees, home, cache] = JSON.parse(await read('plugin-ran')) as unknown[]
  const { stdout } = await tenant.run('id', ['-u'])
  expect([uid, sees, home]).toEqual([Number(stdout), false, tenant.path('')])
  expect(cache).toBe(tenant.path('.cache/composer'))
})

it('has its domains served by their own files when it is removed', async () => {
  expect((await panel.call('POST', at('/start'))).status).toBe(409)
  expect((await panel.call('POST', at('/stop'))).status).toBe(409)
  await panel.data('DELETE', at())
  expect(await get('/index.php')).toBe('own files')
})
