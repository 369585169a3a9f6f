import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let mallory: Tenant
let bella: Tenant

/** The attack keeps the machine busy, which may take a while of its own; held up is who waits for its end. */
const HELD_UP_MS = 15_000
/** The attack itself may take as long as it likes. */
const PATIENCE_MS = 100_000

/** Links through links, each as long as a link may be: one look takes the kernel milliseconds. */
const LAY_LINKS = `
chdir $ARGV[0]; mkdir 'd'; mkdir 'end';
my $deep = 'end';
for (1..560) { $deep .= '/b.php'; mkdir $deep; }
my $long = 'd/../' x 800;
for my $n (0..37) { symlink($long . ($n < 37 ? 'c' . ($n + 1) : 'end'), "c$n") or die $!; }
symlink($long . 'c0', 'a.php') or die $!;
print 'laid';
`

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  await bella.put('public_html/page.html', 'hello')
  const laid = await mallory.run('perl', ['-e', LAY_LINKS, '--', mallory.path('public_html')])
  expect(laid.stdout).toBe('laid')
})

test("a neighbour's page is not held up while links lead through links", async () => {
  const script = '/b.php'
  const attacks = [
    ...Array.from({ length: 24 }, () => `/a.php${script.repeat(560)}`),
    ...Array.from({ length: 150 }, (_, n) => `/a.php${script.repeat(4)}/${n}`),
    ...Array.from({ length: 150 }, (_, n) => `/a.php/nothing-${n}.css`),
  ]
  let underWay = true
  const attack = Promise.all(
    attacks.map((path) => instance.site(mallory.domain, path, { timeoutMs: PATIENCE_MS })),
  )
  const over = attack.then(
    () => (underWay = false),
    () => (underWay = false),
  )
  let slowestMs = 0
  do {
    const startMs = performance.now()
    const answer = await instance.site(bella.domain, '/page.html')
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
    expect(answer.status).toBe(200)
  } while (underWay)
  await over
  for (const { status } of await attack) expect([404, 503]).toContain(status)
  expect(slowestMs).toBeLessThan(HELD_UP_MS)
})

test('a path deeper than any site nests is nowhere', async () => {
  expect((await instance.site(bella.domain, `/${'x/'.repeat(70)}`)).status).toBe(404)
})
