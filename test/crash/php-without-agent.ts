import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let tenants: Tenant[]
beforeAll(async () => {
  tenants = []
  for (let i = 0; i < 2; i++) {
    const tenant = await Tenant.create(panel)
    await tenant.put('public_html/now.php', '<?php echo "from PHP";')
    tenants.push(tenant)
  }
})

test('PHP is answered, a little later, while the agent is started again', async () => {
  for (const { domain } of tenants) {
    const { agent } = await instance.pids()
    await instance.kill('agent')
    // Nobody has asked for this site yet, so its PHP has to be started by the next agent.
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => instance.site(domain, `/now.php?${n}`)),
    )
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(
      answers.map(() => '200 from PHP'),
    )
    expect((await instance.pids()).agent).not.toBe(agent)
  }
})
