import type { Page } from 'playwright-core'

/**
 * Names of the rows that have lit up since, on this page: a row is lit for some seconds
 * only, and whoever looks once may come too late.
 */
export const watchLitRows = async (page: Page): Promise<() => Promise<string[]>> => {
  const lit = await page.evaluateHandle(() => {
    const names = new Set<string>()
    new MutationObserver(() => {
      for (const row of document.querySelectorAll<HTMLElement>('tr.animate-lit'))
        for (const name of Object.values(row.dataset)) if (name) names.add(name)
    }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] })
    return names
  })
  return () => lit.evaluate((names) => [...names])
}
