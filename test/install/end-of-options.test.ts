import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'

const CHECKOUT = new URL('../..', import.meta.url).pathname
const NOBODY = 'berth-nobody'
const NOTHING = '/nonexistent/berth'

/**
 * A call without effect of each program that is given `--` before its operands. Not every
 * program knows it, and one that does not is found out only where it is started: debootstrap
 * was, on machines without a tree of an earlier run.
 */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['install', '--simulate', '--', 'coreutils'],
  'apt-cache': ['show', '--', 'coreutils'],
  cat: ['--', '/dev/null'],
  chmod: ['--reference=/', '--', NOTHING],
  choom: ['--adjust=0', '--', 'true'],
  chown: ['--reference=/', '--', NOTHING],
  cp: ['-r', '--', NOTHING, NOTHING],
  curl: ['--silent', '--', 'file:///dev/null'],
  du: ['--summarize', '--', '/dev/null'],
  env: ['--', 'true'],
  flock: ['--timeout', '1', '--', '/proc/self/exe', 'true'],
  getent: ['passwd', '--', 'root'],
  git: ['ls-remote', '--', NOTHING],
  groupadd: ['--', 'root'],
  groupdel: ['--force', '--', NOBODY],
  id: ['-u', '--', 'root'],
  install: ['-d', '--', '/'],
  ln: ['-s', '--', NOTHING, NOTHING],
  ls: ['-l', '--', '/dev/null'],
  mariadb: ['--no-defaults', `--socket=${NOTHING}`, '--', 'mysql'],
  'mariadb-dump': ['--no-defaults', `--socket=${NOTHING}`, '--', 'mysql'],
  mkdir: ['-p', '--', '/'],
  mkfifo: ['-m', '666', '--', NOTHING],
  mknod: ['-m', '666', '--', NOTHING, 'c', '1', '5'],
  mount: ['--bind', '--', NOTHING, NOTHING],
  mv: ['--', NOTHING, NOTHING],
  nsenter: ['--net=/proc/self/ns/net', '--', 'true'],
  perl: ['-e', '1', '--', 'a'],
  php: ['-r', 'echo 1;', '--', 'a'],
  prlimit: ['--nofile=256', '--', 'true'],
  psql: ['-XAtc', 'SELECT 1', '--', `host=${NOTHING}`],
  readlink: ['--', '/proc/self/exe'],
  realpath: ['-m', '--', NOTHING],
  rm: ['-f', '--', NOTHING],
  rmdir: ['--', NOTHING],
  sftp: ['-P', '1', '-b', '/dev/null', '--', 'nobody@127.0.0.1'],
  scp: ['-q', '--', NOTHING, NOTHING],
  runuser: ['-u', 'root', '--', 'true'],
  setpriv: ['--clear-groups', '--', 'true'],
  ssh: ['-G', '--', 'nobody@127.0.0.1'],
  stat: ['-c', '%a', '--', '/'],
  strip: ['--strip-debug', '--', NOTHING],
  tar: ['--create', '--file=/dev/null', '--', '/dev/null'],
  tee: ['--', '/dev/null'],
  truncate: ['--no-create', '--size=0', '--', NOTHING],
  umount: ['--', NOTHING],
  unshare: ['--mount', '--', 'true'],
  xargs: ['--null', '--no-run-if-empty', '--', 'true'],
  useradd: ['--no-create-home', '--', 'root'],
  userdel: ['--force', '--', NOBODY],
  usermod: ['--lock', '--', NOBODY],
}
/** Only modules and quota tools of the kernel, slices of systemd, and what measures beside us, need these: they are tried where they are. */
const ELSEWHERE = [
  'loginctl',
  'modprobe',
  'quotacheck',
  'quotaoff',
  'quotaon',
  'setquota',
  'systemctl',
  'wrk',
]
/** They hand on what comes after it. */
const HANDED_ON = ['npm', 'npx', 'bash', 'find']

test.each(Object.entries(CALLS))('%s knows -- as the end of its options', async (program, args) => {
  const { stdout, stderr } = await runCommand(program, args, { env: { LC_ALL: 'C' } })
  expect(stdout + stderr).not.toMatch(
    /(unrecogni[sz]ed|invalid|unknown|illegal).* option|['‘]--['’]/i,
  )
})

/** Every source file of ours that may start a program. */
const sources = (): string[] =>
  ['adapters', 'bench', 'cli', 'handlers', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true })
      .map((name) => join(CHECKOUT, folder, String(name)))
      .filter((file) => /\.(ts|mjs)$/.test(file)),
  )

test('no other program is given one', () => {
  const calls = [
    // mustRun('cat', ['-a', '--', …])
    /'([a-z/][\w./+-]*)',\s*\[[^[\]]*?'--'/g,
    // runAs(user, 'cat', '-a', '--', …)
    /\b(?:run|runAs|as)\((?:\w+,\s*)?'([a-z/][\w./+-]*)',\s*(?:'-[^']*',\s*)*'--'/g,
  ]
  const unknown = sources().flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return calls
      .flatMap((call) => [...text.matchAll(call)])
      .map(([, name = '']) => basename(name))
      .filter((name) => ![...Object.keys(CALLS), ...ELSEWHERE, ...HANDED_ON].includes(name))
      .map((name) => `${name} in ${file}`)
  })
  expect(unknown).toEqual([])
})
