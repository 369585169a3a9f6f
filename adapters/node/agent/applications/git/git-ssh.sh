#!/bin/sh
# What git connects with: the address that was judged, one key, one file of known hosts, nothing of
# the owner's or the system's settings. A host is trusted when it is met first, as people do it.
exec /usr/bin/ssh -F none \
  -o BatchMode=yes -o IdentitiesOnly=yes -o "IdentityFile=$BERTH_SSH_KEY" \
  -o StrictHostKeyChecking=accept-new -o "UserKnownHostsFile=$BERTH_SSH_HOSTS" \
  -o GlobalKnownHostsFile=none -o "HostKeyAlias=$BERTH_SSH_HOST" -o "HostName=$BERTH_SSH_ADDRESS" \
  -o ProxyCommand=none -o ProxyJump=none -o PermitLocalCommand=no -o ForwardAgent=no \
  -o ForwardX11=no -o ClearAllForwardings=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 \
  "$@"
