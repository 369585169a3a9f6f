/*
 * The least a server can do: epoll, read, write of one prepared answer. Nothing
 * is parsed, logged or checked. One request per read, which holds for a client
 * that waits for each answer.
 *
 * usage: floor PORT FILE   (FILE holds the whole answer, head and body)
 */
#define _GNU_SOURCE /* accept4 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_EVENTS = 256, MAX_DESCRIPTORS = 65536, READ_BYTES = 16384, BACKLOG = 4096 };

/* Bytes of the answer that a connection has still to be given. */
static size_t unsent[MAX_DESCRIPTORS];

static void die(const char *what) {
  perror(what);
  exit(1);
}

static char *read_answer(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *answer = malloc(*length);
  if (answer == NULL || fread(answer, 1, *length, file) != *length) die(path);
  fclose(file);
  return answer;
}

static int listen_on(int port) {
  int on = 1;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener < 0) die("socket");
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) die("bind");
  if (listen(listener, BACKLOG) < 0) die("listen");
  return listener;
}

static void watch(int poll, int operation, int descriptor, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = descriptor};
  if (epoll_ctl(poll, operation, descriptor, &event) < 0) die("epoll_ctl");
}

int main(int count, char **words) {
  static char input[READ_BYTES];
  static struct epoll_event events[MAX_EVENTS];
  if (count != 3) {
    fprintf(stderr, "usage: floor PORT FILE\n");
    return 2;
  }
  size_t length;
  const char *answer = read_answer(words[2], &length);
  int listener = listen_on(atoi(words[1]));
  int poll = epoll_create1(0);
  watch(poll, EPOLL_CTL_ADD, listener, EPOLLIN);
  for (;;) {
    int ready = epoll_wait(poll, events, MAX_EVENTS, -1);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; i++) {
      int peer = events[i].data.fd;
      if (peer == listener) {
        while ((peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          int on = 1;
          if (peer >= MAX_DESCRIPTORS) {
            close(peer);
            continue;
          }
          setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
          unsent[peer] = 0;
          watch(poll, EPOLL_CTL_ADD, peer, EPOLLIN);
        }
        continue;
      }
      int was_waiting = unsent[peer] > 0;
      if (!was_waiting) {
        ssize_t got = read(peer, input, sizeof input);
        if (got < 0 && errno == EAGAIN) continue;
        if (got <= 0) {
          close(peer);
          continue;
        }
        unsent[peer] = length;
      }
      ssize_t sent = write(peer, answer + (length - unsent[peer]), unsent[peer]);
      if (sent < 0 && errno != EAGAIN) {
        close(peer);
        continue;
      }
      if (sent > 0) unsent[peer] -= (size_t)sent;
      if ((unsent[peer] > 0) != was_waiting)
        watch(poll, EPOLL_CTL_MOD, peer, unsent[peer] > 0 ? EPOLLOUT : EPOLLIN);
    }
  }
}
