/* shots.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes the set of pictures of the window: shots FOLDER [NAME...], or says what is wrong with them:
 * shots --check [NAME...]. Needs a display of at least 2560 x 1500.
 */
#include "look-checks.h"
#include "shots-picture.h"
#include "shots-scenes.h"

/* What is read once, when the toolkit starts: such pictures are taken by a further run of this
 * program. */
static const struct
{
  ShotLook look;
  const char *variable;
  const char *value;
} starts[] = {
  { PLAIN, NULL, NULL },
  { CONTRAST, "ADW_DEBUG_HIGH_CONTRAST", "1" },
  { DOUBLE, "GDK_SCALE", "2" },
};

typedef struct
{
  char *name;
  int width;
  int height;
  ShotLook look;
  ShotPrepare prepare;
  guint scene;
} Shot;

static void
shot_free (gpointer data)
{
  Shot *shot = data;

  g_free (shot->name);
  g_free (shot);
}

/* How a variant is called at the end of the name of a picture. */
static const struct
{
  const char *name;
  int width;
  int height;
  ShotLook look;
} variants[] = {
  { "720-light", 720, 480, PLAIN },          { "720-dark", 720, 480, DARK },
  { "1024-light", 1024, 640, PLAIN },        { "1024-dark", 1024, 640, DARK },
  { "1280-light", 1280, 800, PLAIN },        { "1280-dark", 1280, 800, DARK },
  { "1920-light", 1920, 1080, PLAIN },       { "1920-dark", 1920, 1080, DARK },
  { "2560-light", 2560, 1440, PLAIN },       { "2560-dark", 2560, 1440, DARK },
  { "contrast-light", 1280, 800, CONTRAST }, { "contrast-dark", 1280, 800, CONTRAST | DARK },
  { "large-light", 1024, 640, LARGE },       { "large-dark", 1280, 800, LARGE | DARK },
  { "rtl-light", 1280, 800, RTL },           { "rtl-dark", 1024, 640, RTL | DARK },
  { "double-light", 1024, 640, DOUBLE },     { "double-dark", 1280, 720, DOUBLE | DARK },
  { "twice-light", 1280, 720, TWICE },       { "least-light", 720, 480, TWICE },
};

static void
apply_look (ShotLook look)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  adw_style_manager_set_color_scheme (style, look & DARK ? ADW_COLOR_SCHEME_FORCE_DARK
                                                         : ADW_COLOR_SCHEME_FORCE_LIGHT);
  gtk_widget_set_default_direction (look & RTL ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
  ui_set_text_scale (look & TWICE ? 2 : look & LARGE ? 1.5 : 1);
}

static AssayWindow *
open_scene (const Shot *shot)
{
  AssayWindow *window = ui_window_new (UI_TARGET, shot->width, shot->height);

  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  shot->prepare (window);

  return window;
}

static void
settle (AssayWindow *window)
{
  /* A ring around what happens to have the focus is not what the picture is about. */
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  /* A table knows after its rows were placed how wide they are, and then which columns have room.
   */
  ui_settle ();
  ui_settle ();
}

static void
take (const Shot *shot, const char *folder)
{
  g_autofree char *file = g_strconcat (shot->name, ".png", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  AssayWindow *window;

  apply_look (shot->look);
  window = open_scene (shot);
  settle (window);
  shots_save (window, path);
  ui_window_close (window);
}

/* A scene is set once for a size of text and a direction: its window then takes the other sizes. */
typedef struct
{
  AssayWindow *window;
  const Shot *shot; /* the first */
  int border;       /* of its surface, at every size */
  guint n_surfaces;
} Stage;

static GPtrArray *
check (Stage *stage, const Shot *shot)
{
  GPtrArray *complaints;
  int width;
  guint n;

  if (stage->window != NULL && (stage->shot->scene != shot->scene ||
                                ((stage->shot->look ^ shot->look) & (LARGE | TWICE | RTL)) != 0))
    g_clear_pointer (&stage->window, ui_window_close);
  apply_look (shot->look);
  if (stage->window == NULL)
    {
      stage->window = open_scene (shot);
      stage->shot = shot;
      settle (stage->window);
      stage->border = shot->width - gtk_widget_get_width (GTK_WIDGET (stage->window));
      stage->n_surfaces = look_count_surfaces ();
    }
  else
    {
      gtk_window_set_default_size (GTK_WINDOW (stage->window), shot->width, shot->height);
      settle (stage->window);
    }

  complaints = look_check (stage->window);
  n = look_count_surfaces ();
  width = gtk_widget_get_width (GTK_WIDGET (stage->window)) + stage->border;
  if (n != stage->n_surfaces)
    g_ptr_array_add (complaints, g_strdup_printf ("%u windows and popovers are seen, %u were", n,
                                                  stage->n_surfaces));
  if (width != shot->width)
    g_ptr_array_add (complaints,
                     g_strdup_printf ("the window is %d wide, not %d", width, shot->width));

  return complaints;
}

/* A line of TAP. */
static gboolean
report (const char *name, GPtrArray *complaints)
{
  static guint n = 0;

  n++;
  g_print ("%s %u %s\n", complaints->len == 0 ? "ok" : "not ok", n, name);
  for (guint i = 0; i < complaints->len; i++)
    g_print ("#  %s\n", (const char *) g_ptr_array_index (complaints, i));

  return complaints->len == 0;
}

static gboolean
wants (const Shot *shot, ShotLook start, int argc, char **argv)
{
  if ((shot->look & (CONTRAST | DOUBLE)) != start ||
      ((shot->look & SLOW) != 0 && g_str_equal (argv[1], "--check")))
    return FALSE;

  for (int i = 2; i < argc; i++)
    if (g_str_has_prefix (shot->name, argv[i]))
      return TRUE;

  return argc <= 2;
}

/* What this run was started with. */
static guint
find_start (void)
{
  for (guint i = 1; i < G_N_ELEMENTS (starts); i++)
    if (g_strcmp0 (g_getenv (starts[i].variable), starts[i].value) == 0)
      return i;

  return 0;
}

static int
run_others (char **argv)
{
  int status = 0;

  for (guint i = 1; i < G_N_ELEMENTS (starts) && status == 0; i++)
    {
      g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), starts[i].variable,
                                                     starts[i].value, TRUE);

      if (!g_spawn_sync (NULL, argv, environment, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
                         NULL, &status, NULL))
        status = 1;
    }

  return status == 0 ? 0 : 1;
}

static Shot *
shot_new (const ShotScene *scenes, guint scene, const char *variant)
{
  Shot *shot = g_new0 (Shot, 1);
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (variants) && !g_str_equal (variants[i].name, variant))
    i++;
  g_assert_cmpstr (variants[i].name, ==, variant);
  shot->name = g_strdup_printf ("%s-%s", scenes[scene].name, variant);
  shot->width = variants[i].width;
  shot->height = variants[i].height;
  shot->look = scenes[scene].look | variants[i].look;
  shot->prepare = scenes[scene].prepare;
  shot->scene = scene;
  return shot;
}

/* All pictures there are. Where a window is made wider in one scene, it is made narrower in the
 * next. */
static GPtrArray *
list_shots (void)
{
  GPtrArray *shots = g_ptr_array_new_with_free_func (shot_free);
  guint n_scenes;
  const ShotScene *scenes = shots_list_scenes (&n_scenes);

  for (guint scene = 0; scene < n_scenes; scene++)
    {
      g_auto (GStrv) names = g_strsplit (scenes[scene].variants, " ", -1);
      guint n = g_strv_length (names);

      for (guint i = 0; i < n; i++)
        {
          const char *name = names[scene % 2 == 0 ? i : n - 1 - i];
          Shot *shot = shot_new (scenes, scene, name);
          g_auto (GStrv) parts = g_strsplit (name, "dark", 2);
          g_autofree char *light = g_strjoinv ("light", parts);

          /* What is cut in the dark is cut in the light of the same size. */
          if ((shot->look & DARK) != 0 && g_strv_contains ((const char *const *) names, light))
            shot->look |= SLOW;
          g_ptr_array_add (shots, shot);
        }
    }

  return shots;
}

int
main (int argc, char **argv)
{
  guint start = find_start ();
  gboolean checks = argc > 1 && g_str_equal (argv[1], "--check");
  g_autoptr (GPtrArray) shots = list_shots ();
  Stage stage = { NULL };
  guint noted[LOOK_N_TABLES] = { 0 };
  gboolean good = TRUE;
  guint n = 0;

  if (argc < 2)
    {
      g_printerr ("usage: shots FOLDER|--check [NAME...]\n");
      return 2;
    }
  if (!ui_init (NULL, NULL))
    {
      g_print ("1..0 # SKIP there is no display\n");
      return checks ? 0 : 3;
    }

  if (!checks)
    g_mkdir_with_parents (argv[1], 0755);
  for (guint i = 0; i < shots->len; i++)
    {
      const Shot *shot = g_ptr_array_index (shots, i);

      if (!wants (shot, starts[start].look, argc, argv))
        continue;
      n++;
      if (checks)
        {
          g_autoptr (GPtrArray) complaints = check (&stage, shot);

          good = report (shot->name, complaints) && good;
          look_note_tables (noted, shot->width);
        }
      else
        {
          take (shot, argv[1]);
          g_print ("%s\n", shot->name);
        }
    }
  g_clear_pointer (&stage.window, ui_window_close);

  if (checks && argc <= 2)
    {
      g_autoptr (GPtrArray) complaints = look_check_tables (noted);

      n++;
      good = report ("tables", complaints) && good;
    }
  if (checks)
    {
      g_print ("1..%u\n", n);
      return good ? 0 : 1;
    }

  return start != 0 ? 0 : run_others (argv);
}
