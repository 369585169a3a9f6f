import type { Mount } from '../../machine/mounts.ts'
import type { QuotaState } from '../../machine/quota-state.ts'

/** How user quotas are switched on for a file system. */
export interface QuotaWay {
  /** Options of the mount, for the starts to come. */
  options: string[]
  /** Whether the file system can take them now. */
  remount: boolean
  /** The file, in the root of the file system, in which use is counted; null: it has a place of its own. */
  file: string | null
  /** Whether limits can be switched on now. */
  now: boolean
}

/** Beside the file system's own files; the name is the usual one, so that other tools find it. */
const FILE = 'aquota.user'

/** How, or the sentence that says why not. Of what keeps to quotas already nobody asks. */
export const quotaWay = (mount: Mount, state: QuotaState): QuotaWay | string => {
  const { mount: place, type, root } = mount
  if (root !== '/')
    return `only a part of a file system is mounted at ${place} (a container?); its host would have to keep quotas.`
  if (mount.readOnly) return `${place} is mounted read-only.`
  if (type === 'ext4')
    return state === 'counted'
      ? { options: ['usrquota'], remount: false, file: null, now: true }
      : {
          options: [`usrjquota=${FILE}`, 'jqfmt=vfsv1'],
          remount: true,
          file: FILE,
          now: true,
        }
  if (type !== 'xfs') return `${type} at ${place} keeps no user quotas; ext4 and XFS do.`
  if (state === 'counted')
    return `${place} is mounted with uqnoenforce, which counts and holds nobody. Mount it with uquota instead.`
  if (place === '/')
    return 'XFS takes quotas for / from the boot loader alone: add rootflags=uquota to GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub, and start the machine anew.'
  return { options: ['uquota'], remount: false, file: null, now: false }
}
