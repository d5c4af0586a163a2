classdef FakeCoopsim < handle
% FAKECOOPSIM  A client that answers as a function says, fake.answer(command), and keeps what it was asked.
  properties
    answer
    tick = 5
    asked = {}
    refusal = {}
  end

  methods
    function self = FakeCoopsim(answer)
      self.answer = answer;
    end

    function [data, params] = ask(self, target, command, data, params)
      if nargin < 4
        data = [];
      end
      if nargin < 5
        params = {};
      end
      self.asked{end + 1} = struct('target', target, 'command', command, 'data', data, 'params', {params});
      [data, params] = self.answer(command);
    end
  end
end
