import { afterNavigate, goto } from '$app/navigation'
import { resolve } from '$app/paths'
import type { AppPath } from './app-path'

/** Calls `open` when the page is reached as `path?new=1` (palette, dashboard), then takes that off the address. */
export const onNewWanted = (path: AppPath, open: () => void): void => {
  afterNavigate(({ to }) => {
    if (to?.url.searchParams.get('new') !== '1') return
    open()
    void goto(resolve(path), { replaceState: true, keepFocus: true, noScroll: true })
  })
}
