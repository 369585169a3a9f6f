import CircleAlert from '@lucide/svelte/icons/circle-alert'
import CircleCheck from '@lucide/svelte/icons/circle-check'
import Info from '@lucide/svelte/icons/info'
import TriangleAlert from '@lucide/svelte/icons/triangle-alert'
import type { Notification } from '$lib/api/types'
import type { Icon } from '$lib/components/ui/list/list-types'

const LOOKS = {
  info: { icon: Info, colour: 'text-muted' },
  warning: { icon: TriangleAlert, colour: 'text-warn' },
  error: { icon: CircleAlert, colour: 'text-bad' },
} as const

/** How bad a notification is, as a sign; what is over is well. */
export const notificationLook = ({
  severity,
  state,
}: Notification): { icon: Icon; colour: string } =>
  state === 'resolved' ? { icon: CircleCheck, colour: 'text-ok' } : LOOKS[severity]
