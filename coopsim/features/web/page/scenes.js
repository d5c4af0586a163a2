// Scenes: a menu of all that the window lists, too; who edits loads one in the place of what runs, and all pages follow.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);

  class SceneMenu {
    constructor(app) {
      this.app = app;
      this.groups = [];
      $("show-scenes").onclick = () => this.ask();
      $("scenes-close").onclick = () => $("scenes").close();
      $("scenes-search").oninput = () => this.show();
      $("scenes").onkeydown = (event) => this.key(event);
      $("unsaved-cancel").onclick = () => $("unsaved").close();
      $("unsaved-discard").onclick = () => this.goOn();
      $("unsaved-save").onclick = async () => {
        if (await this.app.editing.save($("save-as").value.trim())) this.goOn();
        else $("unsaved").close(); // the notice says why; a name for it can be given beside "Save"
      };
    }

    get mayLoad() { return this.app.role === "edit" && !this.app.isReplay; }

    enable() { $("show-scenes").hidden = !this.mayLoad; }

    /** Open the menu, with the files that there are now. */
    async ask() {
      const groups = this.mayLoad && await this.app.try(this.app.source.ask({ do: "scenes" }));
      if (!groups || $("scenes").open) return;
      this.groups = groups;
      $("scenes-search").value = "";
      $("scenes").showModal();
      $("scenes-search").focus();
      this.show();
    }

    /** List the scenes in which all words of the search occur. */
    show() {
      const words = $("scenes-search").value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = ({ title, file, caption, tags }) => {
        const text = [title, file, caption, ...tags].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      const parts = this.groups.flatMap(({ title, entries }) => {
        const fitting = entries.filter(fits), heading = document.createElement("h2");
        heading.textContent = title;
        return fitting.length ? [heading, ...fitting.map((entry) => this.button(entry))] : [];
      });
      $("scenes-found").replaceChildren(...(parts.length ? parts : ["No scene has these words."]));
    }

    button({ file, title, caption }) {
      const button = document.createElement("button"), about = document.createElement("small");
      button.textContent = title.replaceAll("_", " ");
      about.textContent = caption || file;
      button.append(about);
      button.onclick = () => this.choose(file);
      return button;
    }

    /** Arrow keys go through the list; Return in the search chooses the first that it finds. */
    key(event) {
      const buttons = [...$("scenes-found").querySelectorAll("button")], number = buttons.indexOf(document.activeElement);
      const isSearch = document.activeElement === $("scenes-search");
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && (isSearch || number >= 0)) (buttons[number + step] || $("scenes-search")).focus();
      else if (event.key === "Enter" && isSearch && $("scenes-search").value.trim() && buttons.length) buttons[0].click();
      else return;
      event.preventDefault();
    }

    /** Load a scene, after a question where changes of this page would be lost by it. */
    choose(file) {
      $("scenes").close();
      this.goOn = () => {
        $("unsaved").close();
        this.load(file);
      };
      if (this.app.editing.hasUnsaved) $("unsaved").showModal();
      else this.load(file);
    }

    async load(file) {
      this.app.notice(`opens ${file}`, true);
      if (await this.app.call("/sim/world", "load", file) === undefined) return;
      this.app.notice(`open: ${file}`);
    }
  }

  Object.assign(coopsim, { SceneMenu });
})();
