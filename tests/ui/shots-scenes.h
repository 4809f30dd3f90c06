/* shots-scenes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui-fixture.h"

G_BEGIN_DECLS

/* How a picture is set. */
typedef enum
{
  PLAIN = 0,
  DARK = 1 << 0,
  CONTRAST = 1 << 1,
  RTL = 1 << 2,
  LARGE = 1 << 3,
  DOUBLE = 1 << 4, /* pixels */
  SLOW = 1 << 5,   /* taken as a picture, but not checked in each build */
  TWICE = 1 << 6,  /* text as large as the desktop lets it get */
} ShotLook;

typedef void (*ShotPrepare) (AssayWindow *window);

typedef struct
{
  const char *name;
  ShotPrepare prepare;
  ShotLook look;
  const char *variants; /* in which sizes and themes, by their names */
} ShotScene;

const ShotScene *shots_list_scenes (guint *n);

G_END_DECLS
