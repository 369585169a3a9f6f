import { loadParts } from '$lib/texts/load-texts'
import { partsOf } from '$lib/texts/parts'
import type { LayoutLoad } from './$types'

/** No page is shown before the texts are there that it needs. */
export const load: LayoutLoad = ({ url }) => loadParts(partsOf(url.pathname))
