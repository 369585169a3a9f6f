import type { Page } from 'playwright-core'

/**
 * Lets colours change at once on the page as it is loaded now. When the theme changes, what
 * inherits a colour follows it one level after the other, each with a transition of its own:
 * most of a second of work for each look at the other theme.
 */
export const stopTransitions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    if (document.adoptedStyleSheets.length > 0) return
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('*, ::before, ::after { transition: none !important }')
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  })
