import { describe, expect, it } from 'vitest'
import { phpHomeFileProblem, phpIniProblem } from '#handlers/domain/php/ini-rules.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'

describe('settings of php.ini for a virtual host', () => {
  it.each([
    ['date.timezone', 'Europe/Vienna'],
    ['upload_max_filesize', '1G'],
    ['include_path', '.:/usr/share/php'],
    ['opcache.memory_consumption', '128'],
    ['error_prepend_string', "<b>it's; #1 = fine</b>"],
    ['user_agent', ''],
  ])('takes %s = %j', (name, value) => {
    expect(phpIniProblem(name, value)).toBeNull()
  })

  it.each([
    ['open_basedir', '/'],
    ['OPEN_BASEDIR', '/'],
    ['opcache.file_cache_only', '1'],
    ['opcache.preload_user', 'root'],
    ['ffi.preload', '/x'],
    ['memory_limit', '1G'],
    ['x y', '1'],
    ['x\n', '1'],
    ['.x', '1'],
    ['x', 'a"b'],
    ['x', '$pool'],
    ['x', 'a\\'],
    ['x', 'a\nb'],
    ['x', 'a\u0085b'],
    ['x', 'y'.repeat(1025)],
  ])('refuses %j = %j', (name, value) => {
    expect(phpIniProblem(name, value)).not.toBeNull()
  })

  it('lets scripts be prepended from the home only', () => {
    expect(phpHomeFileProblem('auto_prepend_file', '/home/a/x.php', '/home/a')).toBeNull()
    expect(phpHomeFileProblem('auto_prepend_file', '', '/home/a')).toBeNull()
    for (const file of ['/home/ab/x.php', '/home/a/../b/x.php', 'x.php', '/etc/passwd'])
      expect(phpHomeFileProblem('auto_append_file', file, '/home/a')).not.toBeNull()
  })
})

describe('[virtualhost.php]', () => {
  const file = (php: string) =>
    parseIncludedFile(
      '/etc/berth/x.toml',
      `[[virtualhost]]\ndomain = "x.test"\nroot = "/srv/x"\n[virtualhost.php]\n${php}\n`,
    )

  it('has no settings of its own unless they are given', () => {
    expect(file('version = "8.2"').hosts[0]?.host.php).not.toHaveProperty('pool')
    expect(file('memory_limit = "1G"').hosts[0]?.host.php.pool).toEqual({
      max_children: null,
      memory_limit: '1G',
      ini: {},
    })
  })

  it('takes texts, numbers and booleans', () => {
    const { hosts, problems } = file('max_children = 3\nini = { a = 1, b = true, "c.d" = "x" }')
    expect(problems).toEqual([])
    expect(hosts[0]?.host.php.pool).toEqual({
      max_children: 3,
      memory_limit: null,
      ini: { a: '1', b: '1', 'c.d': 'x' },
    })
  })

  it.each([
    ['max_children = 0', 'virtualhost[0].php.max_children'],
    ['memory_limit = "lots"', 'virtualhost[0].php.memory_limit'],
    ['ini = { open_basedir = "/" }', 'virtualhost[0].php.ini.open_basedir'],
    ['ini = { x = "a\\"b" }', 'virtualhost[0].php.ini.x'],
    ['ini = { auto_prepend_file = "x.php" }', 'virtualhost[0].php.ini.auto_prepend_file'],
  ])('names the key of %s', (php, key) => {
    const [problem] = file(php).problems
    expect(problem?.key).toBe(key)
  })
})
