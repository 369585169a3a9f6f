import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import { account, domain, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** Settings of sites, in every store. */
export const siteSettingsStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`settings of sites in ${name}`, () => {
    let subject: StoreSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    test('are kept with their domain, and go with it', async () => {
      const { store } = subject
      const [one, two] = await Promise.all(
        ['anna', 'berta'].map((user) =>
          store.insertAccount(account(user), domain(`${user}.example`), operation(user), UNLIMITED),
        ),
      )
      if (typeof one !== 'object' || typeof two !== 'object') throw new Error('no accounts')
      const settings = { ...usualSiteSettings(), deny: ['192.0.2.9'] }
      expect(await store.siteSettings(one.domain.id)).toBeNull()
      await store.putSiteSettings(one.domain.id, { ...settings, www: 'with' })
      await store.putSiteSettings(one.domain.id, settings)
      await store.putSiteSettings(two.domain.id, settings)
      await store.putSiteSettings(999, settings)
      expect(await store.siteSettings(one.domain.id)).toEqual(settings)
      expect((await store.listSiteSettings()).size).toBe(2)
      const own = await store.listSiteSettings({ accountId: one.account.id })
      expect([...own]).toEqual([[one.domain.id, settings]])
      await store.putSiteSettings(two.domain.id, null)
      expect(await store.siteSettings(two.domain.id)).toBeNull()
      await store.deleteDomain(one.domain.id)
      expect((await store.listSiteSettings()).size).toBe(0)
    })
  })
}
